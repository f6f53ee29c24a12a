"""Smaller extensions whose names, files, errors or snapshot keys are visible to programs."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

from renga_chainer.modules.chainer.training.triggers import get_trigger, is_loading
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.reporter import report
from renga_core.serializers import AbstractSerializer
from renga_core.training import PRIORITY_EDITOR, PRIORITY_WRITER, Extension
from renga_training import extensions
from renga_training.make_extension import make_extension

__all__ = [
    "DumpGraph",
    "FailOnNonNumber",
    "MicroAverage",
    "ParameterStatistics",
    "PlotReport",
    "VariableStatisticsPlot",
    "dump_graph",
    "observe_lr",
    "observe_value",
    "unchain_variables",
]


class DumpGraph(extensions.DumpGraph):
    """Writes the graph of a reported Variable to ``cg.dot`` after the first iteration. It draws no picture.

    Args:
        root_name, filename, variable_style, function_style: As in `renga.training.extensions.DumpGraph`.
        out_name: Chainer's older name of `filename`.
    """

    default_name = "dump_graph"

    def __init__(
        self,
        root_name: str,
        filename: str | None = None,
        variable_style: Any = None,
        function_style: Any = None,
        *,
        out_name: str = "cg.dot",
    ) -> None:
        super().__init__(root_name, out_name if filename is None else filename, variable_style, function_style)
        self.trigger = self._first
        self._original_flag: bool | None = None
        self._flag_called = False

    def initialize(self, trainer: Any) -> None:
        """Keep graphs from now on, unless the file has been written."""
        if not self._flag_called:
            self._original_flag = bool(config.keep_graph_on_report)
            super().initialize(trainer)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load whether the file has been written."""
        self._original_flag = serializer("_original_flag", self._original_flag)
        self._flag_called = bool(serializer("_flag_called", self._flag_called))

    def _first(self, trainer: Any) -> bool:
        fire, self._flag_called = not self._flag_called, True
        return fire


dump_graph = DumpGraph


class FailOnNonNumber(Extension):
    """Ends training with a RuntimeError as soon as a parameter contains NaN or infinity."""

    def __call__(self, trainer: Any) -> None:
        """Check the parameters of all optimizers."""
        try:
            extensions.FailOnNonNumber()(trainer)
        except FloatingPointError as error:
            raise RuntimeError(f"Kill the process since parameters diverge: {error}") from error


class MicroAverage(Extension):
    """Reports the sum of one value over an interval divided by the sum of another.

    An iteration that does not report both values is ignored, and never ends an interval.

    Args:
        numerator_key, denominator_key, result_key: Names of the values.
        trigger: Determines the end of an interval.
    """

    priority = PRIORITY_EDITOR

    def __init__(self, numerator_key: str, denominator_key: str, result_key: str, trigger: Any = (1, "epoch")) -> None:
        self._keys = numerator_key, denominator_key
        self._result_key = result_key
        self._trigger = get_trigger(trigger)
        self._numerator: Any = 0
        self._denominator: Any = 0

    def __call__(self, trainer: Any) -> None:
        """Add this iteration's values. At the end of an interval, report the ratio."""
        observation = trainer.observation
        if not all(key in observation for key in self._keys):
            return
        numerator, denominator = (getattr(observation[key], "array", observation[key]) for key in self._keys)
        self._numerator += numerator
        self._denominator += denominator
        if self._trigger(trainer):
            report({self._result_key: float(self._numerator) / self._denominator})
            self._numerator = self._denominator = 0

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the running sums."""
        self._numerator = serializer("_numerator", self._numerator)
        self._denominator = serializer("_denominator", self._denominator)


class ParameterStatistics(extensions.ParameterStatistics):
    """Like `renga.training.extensions.ParameterStatistics`, with Chainer's keys. Its state is not saved.

    Attributes:
        report_key_template: Template of a statistic's key, without the number of statistics with several values.
    """

    report_key_template = "{prefix}{link_name}{param_name}/{attr_name}/{function_name}"

    def __init__(
        self,
        links: Any,
        statistics: Any = "default",
        report_params: bool = True,
        report_grads: bool = True,
        prefix: str | None = None,
        trigger: Any = (1, "epoch"),
        skip_nan_params: bool = False,
    ) -> None:
        super().__init__(links, statistics, report_params, report_grads, prefix, get_trigger(trigger), skip_nan_params)

    def _key(self, link: Any, path: str, kind: str, name: str) -> str:
        return self.report_key_template.format(
            prefix=f"{self._prefix}/" if self._prefix else "",
            link_name=link.name,  # "None" for a link without a name
            param_name=path,
            attr_name=kind,
            function_name=name,
        )

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Do nothing."""


class PlotReport(extensions.PlotReport):
    """Plots reported values, averaged over each interval. Without Matplotlib it warns and does nothing.

    Args:
        y_keys, x_key, trigger, postprocess, filename, marker, grid: As in `renga.training.extensions.PlotReport`.
        file_name: Chainer's older name of `filename`.
    """

    def __init__(
        self,
        y_keys: Any,
        x_key: str = "iteration",
        trigger: Any = (1, "epoch"),
        postprocess: Callable[..., object] | None = None,
        filename: str | None = None,
        marker: str | None = "x",
        grid: bool = True,
        *,
        file_name: str = "plot.png",
    ) -> None:
        self._file_name = file_name if filename is None else filename
        super().__init__(y_keys, x_key, get_trigger(trigger), None, self._file_name, marker, grid)
        if postprocess is not None:
            # Chainer's postprocess also gets the axes and the means so far.
            self._postprocess = lambda figure: postprocess(figure, figure.axes[0], self._mean)

    def initialize(self, trainer: Any) -> None:
        """Prepare for plotting."""
        if self.available():
            super().initialize(trainer)
        else:
            warnings.warn("matplotlib is not installed: PlotReport draws nothing", stacklevel=2)

    def __call__(self, trainer: Any) -> None:
        """Add this iteration's observation. At the end of an interval, plot."""
        if self.available():
            super().__call__(trainer)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the points so far, by curve."""
        curves = {key: [(p[self._x_key], p[key]) for p in self._points if key in p] for key in self._y_keys}
        text = serializer(f"_plot_{self._file_name}", json.dumps(curves))
        if is_loading(serializer):
            self._points = [{self._x_key: x, key: y} for key, curve in json.loads(text).items() for x, y in curve]


class VariableStatisticsPlot(extensions.VariableStatisticsPlot):
    """Like `renga.training.extensions.VariableStatisticsPlot`; its state is not saved.

    Args:
        targets, max_sample_size, report_data, report_grad, plot_mean, plot_std, percentile_sigmas, trigger, filename,
            figsize, marker, grid: As in Renga.
        file_name: Chainer's older name of `filename`.
    """

    def __init__(
        self,
        targets: Any,
        max_sample_size: int = 1000,
        report_data: bool = True,
        report_grad: bool = True,
        plot_mean: bool = True,
        plot_std: bool = True,
        percentile_sigmas: Any = (0, 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87, 100),
        trigger: Any = (1, "epoch"),
        filename: str | None = None,
        figsize: tuple[float, float] | None = None,
        marker: str | None = None,
        grid: bool = True,
        *,
        file_name: str = "statistics.png",
    ) -> None:
        name = file_name if filename is None else filename
        super().__init__(
            targets, max_sample_size, report_data, report_grad, plot_mean, plot_std, percentile_sigmas,
            get_trigger(trigger), name, figsize, marker, grid,
        )  # fmt: skip

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Do nothing."""


class unchain_variables(Extension):
    """Removes the graphs of reported Variables, after other extensions, if graphs are kept."""

    priority = 0

    def __init__(self) -> None:
        self._prev_flag: bool = False
        self.trigger = self._was_kept

    def initialize(self, trainer: Any) -> None:
        """Record whether graphs are kept."""
        self._prev_flag = bool(config.keep_graph_on_report)

    def __call__(self, trainer: Any) -> None:
        """Remove the graphs."""
        for value in trainer.observation.values():
            if isinstance(value, Variable):
                value.unchain_backward()

    def _was_kept(self, trainer: Any) -> bool:
        flag, self._prev_flag = self._prev_flag, bool(config.keep_graph_on_report)
        return flag


def observe_value(observation_key: str, target_func: Callable[[Any], Any]) -> Extension:
    """Return an extension that reports ``target_func(trainer)`` as `observation_key`, once per epoch."""

    @make_extension(trigger=(1, "epoch"), priority=PRIORITY_WRITER)
    def _observe_value(trainer: Any) -> None:
        trainer.observation[observation_key] = target_func(trainer)

    return _observe_value


def observe_lr(optimizer_name: str = "main", observation_key: str = "lr") -> Extension:
    """Return an extension that reports an optimizer's learning rate, once per epoch."""
    return observe_value(observation_key, lambda trainer: trainer.updater.get_optimizer(optimizer_name).lr)
