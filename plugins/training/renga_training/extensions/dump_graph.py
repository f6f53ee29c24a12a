"""`DumpGraph`: draws the graph of a loss."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from renga_core.configuration import using_config
from renga_core.graph import Variable
from renga_core.training import Extension, TrainerLike
from renga_nn.computational_graph import build_computational_graph
from renga_serializers.atomic import atomic_write
from renga_training.triggers import OnceTrigger

__all__ = ["DumpGraph", "dump_graph"]


class DumpGraph(Extension):
    """Writes the graph of a reported Variable in Graphviz's DOT language, after the first iteration.

    ``dot -Tpng cg.dot`` draws it. ``config.keep_graph_on_report`` is on until the graph is written. Until then, graphs
    of reported Variables, with all their arrays, live until the end of the iteration.

    Args:
        root_name: Name of the reported value: ``"main/loss"``.
        filename: Name of the file in the trainer's folder; ``cg.dot`` if None.
        variable_style, function_style: DOT attributes; None: the defaults.
    """

    on_every_rank = False

    def __init__(
        self,
        root_name: str,
        filename: str | None = None,
        variable_style: Mapping[str, Any] | None = None,
        function_style: Mapping[str, Any] | None = None,
    ) -> None:
        self.trigger = OnceTrigger()
        self._root_name = root_name
        self._filename = "cg.dot" if filename is None else filename
        self._styles = (
            "default" if variable_style is None else variable_style,
            "default" if function_style is None else function_style,
        )
        self._keeping = ExitStack()

    def initialize(self, trainer: TrainerLike) -> None:
        """Start to keep graphs of reported Variables."""
        self._keeping.enter_context(using_config("keep_graph_on_report", True))
        self._wanted = True

    def __call__(self, trainer: TrainerLike) -> None:
        """Write the graph once, then stop keeping graphs.

        Raises:
            KeyError: No such value was reported in this iteration.
            TypeError: The value is not a Variable.
        """
        if not self._wanted:
            return
        if self._root_name not in trainer.observation:
            known = ", ".join(trainer.observation) or "nothing"
            raise KeyError(f"DumpGraph: {self._root_name!r} was not reported in this iteration. Reported: {known}")
        root = trainer.observation[self._root_name]
        if not isinstance(root, Variable):
            raise TypeError(f"DumpGraph: {self._root_name!r} is a {type(root).__name__}; only a Variable has a graph")
        variable_style, function_style = self._styles
        graph = build_computational_graph([root], variable_style=variable_style, function_style=function_style)
        with atomic_write(os.path.join(trainer.out, self._filename)) as file:
            file.write(graph.dump().encode())
        self._wanted = False
        self._keeping.close()

    def finalize(self) -> None:
        """Stop keeping graphs."""
        self._wanted = False
        self._keeping.close()

    _wanted = False


dump_graph = DumpGraph
"""Chainer's other name of `DumpGraph`."""
