"""Letting go of graphs."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.training import Extension
from renga_training.make_extension import make_extension

__all__ = ["unchain_variables"]


def unchain_variables() -> Extension:
    """Return an extension that cuts reported Variables off their graphs, after other extensions (its priority is 0).

    Graphs are kept only while ``config.keep_graph_on_report`` is on, and then until nobody holds the Variable. This
    frees their memory though somebody, such as an extension of one's own, holds on to it.
    """

    @make_extension(trigger=(1, "iteration"), default_name="unchain_variables", priority=0)
    def unchain(trainer: Any) -> None:
        for value in trainer.observation.values():
            if isinstance(value, Variable):
                value.unchain_backward()

    return unchain
