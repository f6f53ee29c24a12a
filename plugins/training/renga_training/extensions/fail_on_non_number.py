"""Stop when parameters are no longer finite."""

from __future__ import annotations

from renga_core.training import Extension, TrainerLike

__all__ = ["FailOnNonNumber"]


class FailOnNonNumber(Extension):
    """Ends training with an error as soon as a parameter has a NaN or an infinity in it.

    Looking costs one pass over the parameters, and on a GPU a wait; a trigger makes it rarer.
    """

    communicates = False

    def __call__(self, trainer: TrainerLike) -> None:
        """Look at all optimizers' parameters. Raises FloatingPointError, which names the first bad one."""
        for name, optimizer in trainer.updater.get_all_optimizers().items():
            for path, param in optimizer.target.namedparams(include_uninit=False):
                if not bool(param.xp.isfinite(param.array).all()):
                    raise FloatingPointError(
                        f"parameter {name}{path} is not finite after iteration {trainer.updater.iteration}; "
                        "a smaller learning rate or gradient clipping may help"
                    )
