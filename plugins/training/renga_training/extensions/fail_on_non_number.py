"""`FailOnNonNumber`: stops when parameters are no longer finite."""

from __future__ import annotations

from renga_core.training import Extension, TrainerLike

__all__ = ["FailOnNonNumber"]


class FailOnNonNumber(Extension):
    """Raises an error as soon as a parameter contains NaN or infinity.

    Each check is one pass over the parameters, and on a GPU a synchronization. Use a trigger to check less often.
    """

    communicates = False

    def __call__(self, trainer: TrainerLike) -> None:
        """Check the parameters of all optimizers. Raises FloatingPointError, which names the first bad one."""
        for name, optimizer in trainer.updater.get_all_optimizers().items():
            for path, param in optimizer.target.namedparams(include_uninit=False):
                if not bool(param.xp.isfinite(param.array).all()):
                    raise FloatingPointError(
                        f"parameter {name}{path} is not finite after iteration {trainer.updater.iteration}; "
                        "a smaller learning rate or gradient clipping may help"
                    )
