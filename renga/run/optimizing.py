"""The optimizers of a run: one for each link that the task optimizes separately."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renga.distributed import create_multi_node_optimizer
from renga.run.distributed import has_several
from renga.run.precision import INITIAL_LOSS_SCALE, has_masters
from renga.run.run_file import RunDescription
from renga.run.run_parts import RunParts
from renga_core.communicator import CommunicatorBase
from renga_core.link import Link
from renga_core.optimizer import GradientMethod
from renga_core.settings import SettingsError

__all__ = ["make_optimizers"]


def make_optimizers(
    parts: RunParts, links: Mapping[str, Link], run: RunDescription, comm: CommunicatorBase, weighted: bool
) -> dict[str, Any]:
    """Make an optimizer for each link, with the hooks.

    Args:
        parts: Parts of the run.
        links: Links to optimize, by name.
        run: The run.
        comm: Connects the processes.
        weighted: Whether ranks may have batches of different sizes.

    Raises:
        SettingsError: Settings exclude each other, or the loss scale is invalid.
    """
    return {name: _make_optimizer(parts, link, run, comm, weighted) for name, link in links.items()}


def _make_optimizer(parts: RunParts, link: Link, run: RunDescription, comm: CommunicatorBase, weighted: bool) -> Any:
    optimizer = parts.optimizer.make()
    if has_masters(run.dtype) and isinstance(optimizer, GradientMethod):
        optimizer.use_fp32_update()
    how = run.distributed
    several = has_several(comm)
    if several or how.double_buffering:
        if how.double_buffering and how.overlap:
            raise SettingsError(
                f"distributed.overlap (from {run.origin('distributed.overlap')}) and distributed.double_buffering "
                f"(from {run.origin('distributed.double_buffering')}): choose one of the two"
            )
        optimizer = create_multi_node_optimizer(
            optimizer,
            comm,
            how.double_buffering,
            overlap=how.overlap,
            sharded=how.sharded,
            weighted=weighted and several,
        )
    optimizer.setup(link)
    if run.loss_scale == "dynamic":
        optimizer.loss_scaling(initial=INITIAL_LOSS_SCALE)
    elif run.loss_scale is not None:
        try:
            optimizer.set_loss_scale(run.loss_scale)
        except ValueError as error:
            raise SettingsError(f"run.loss_scale (from {run.origin('run.loss_scale')}): {error}") from error
    for hook in parts.hooks:
        optimizer.add_hook(hook.make())
    return optimizer
