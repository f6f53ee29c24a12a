"""`unchain_variables`: frees graphs of reported Variables."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.training import Extension
from renga_training.make_extension import make_extension

__all__ = ["unchain_variables"]


def unchain_variables() -> Extension:
    """Return an extension that unchains reported Variables, after other extensions (its priority is 0).

    Graphs are kept only if ``config.keep_graph_on_report`` is on, as long as something refers to the Variable. This
    frees their memory even if an extension of your own still refers to it.
    """

    @make_extension(trigger=(1, "iteration"), default_name="unchain_variables", priority=0)
    def unchain(trainer: Any) -> None:
        for value in trainer.observation.values():
            if isinstance(value, Variable):
                value.unchain_backward()

    return unchain
