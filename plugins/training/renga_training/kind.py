"""The kinds that this plugin adds: further parts of a run."""

from __future__ import annotations

from typing import Any

from renga_core.plugin import Kind

__all__ = ["CONVERTER", "EVALUATOR", "TASK", "UPDATER"]

TASK: Kind[Any] = Kind(
    "task",
    config_key="task.use",
    suite="renga_testing.suites:TaskSuite",
    default="classification",
    protocol="renga_training.tasks.task:Task",
    summary="a Task class: it defines what a network is trained for; its keyword arguments are options",
)
UPDATER: Kind[Any] = Kind(
    "updater",
    config_key="updater.use",
    suite="renga_testing.suites:UpdaterSuite",
    namespace="renga.training.updaters",
    protocol="renga_core.training:Updater",
    summary="a callable that returns an updater. Its arguments: an iterator, an optimizer (or several by name), "
    "converter=, and, if it has such parameters, device= and link=",
)
CONVERTER: Kind[Any] = Kind(
    "converter",
    config_key="converter.use",
    suite="renga_testing.suites:ConverterSuite",
    protocol="renga_core.dataset:Converter",
    summary="a callable that returns a converter, which makes arrays from a batch: converter(batch, device)",
)
EVALUATOR: Kind[Any] = Kind(
    "evaluator",
    config_key="evaluator.use",
    suite="renga_testing.suites:EvaluatorSuite",
    protocol="renga_core.training:Extension",
    summary="a callable that takes an iterator over the test data, the trained link, and those of task=, "
    "converter=, device=, train= and communicator= that are among its parameters, and returns an extension that "
    "reports values",
)
