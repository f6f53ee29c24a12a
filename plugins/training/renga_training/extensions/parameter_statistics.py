"""`ParameterStatistics`: reports statistics of parameters and gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array, get_array_module, to_host
from renga_core.link import Link
from renga_core.reporter import report
from renga_core.serializers import AbstractSerializer
from renga_core.training import PRIORITY_WRITER, Extension, TrainerLike, TriggerLike
from renga_training.triggers.interval_mean import IntervalMean

__all__ = ["ParameterStatistics"]

_SIGMAS = (0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87)
"""Percentiles of a normal distribution at -3, -2, … 3 standard deviations."""


def _standard_deviation(x: Array) -> Array:
    """Convert to float32 at least, because squares of half-precision numbers overflow."""
    wide = x.astype("float32") if x.dtype.itemsize < 4 else x
    return ((wide - wide.mean()) ** 2).mean() ** 0.5


class ParameterStatistics(Extension):
    """Reports statistics of the parameters of links, and of their gradients, averaged over an interval.

    Names are ``prefix/link/parameter/data/mean`` and ``…/grad/mean``. A statistic with several numbers is reported as
    ``…/0``, ``…/1`` and so on. Missing arrays and gradients are skipped.

    Statistics are computed over all elements, in each iteration in which the extension is called. With a large model,
    call it less often: ``trainer.extend(ParameterStatistics(model), trigger=(100, "iteration"))``.

    Args:
        links: A link or several.
        statistics: Functions of a one-dimensional array, by name; ``"default"``: `default_statistics`; None: none.
        report_params: Report statistics of parameters.
        report_grads: Report statistics of gradients.
        prefix: Prefix of the names.
        trigger: Ends an interval.
        skip_nan_params: For an array with NaN, report NaN without calling the function.

    Attributes:
        default_statistics: ``mean``, ``std``, ``min``, ``max``; ``zeros``, the number of zero elements; ``percentile``,
            the percentiles 0.13, 2.28, 15.87, 50, 84.13, 97.72 and 99.87.
    """

    communicates = False
    priority = PRIORITY_WRITER
    default_statistics: ClassVar[Mapping[str, Callable[[Array], Any]]] = {
        "mean": lambda x: x.mean(),
        "std": lambda x: _standard_deviation(x),
        "min": lambda x: x.min(),
        "max": lambda x: x.max(),
        "zeros": lambda x: (x == 0).sum(),
        "percentile": lambda x: np.percentile(to_host(x), _SIGMAS),
    }

    def __init__(
        self,
        links: Link | Iterable[Link],
        statistics: Mapping[str, Callable[[Array], Any]] | str | None = "default",
        report_params: bool = True,
        report_grads: bool = True,
        prefix: str | None = None,
        trigger: TriggerLike = (1, "epoch"),
        skip_nan_params: bool = False,
    ) -> None:
        if isinstance(statistics, str) and statistics != "default":
            raise ValueError(f"statistics must be 'default' or a dictionary of functions, not {statistics!r}")
        chosen = self.default_statistics if isinstance(statistics, str) else statistics or {}
        self._links = [links] if isinstance(links, Link) else list(links)
        self._statistics = dict(chosen)
        self._kinds = [kind for kind, wanted in (("data", report_params), ("grad", report_grads)) if wanted]
        self._prefix = prefix
        self._mean = IntervalMean(None, trigger)
        self._skip_nan = skip_nan_params

    @property
    def default_name(self) -> str:
        """``"parameter_statistics"``."""
        return "parameter_statistics"

    def register_statistics(self, name: str, function: Callable[[Array], Any]) -> None:
        """Add a statistic: a function of a one-dimensional array that returns one or several numbers."""
        self._statistics[name] = function

    def __call__(self, trainer: TrainerLike) -> None:
        """Compute the statistics; report their means at the end of an interval."""
        means = self._mean(trainer, dict(self._all()))
        if means is not None:
            report(means)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the current sums, and the trigger."""
        self._mean.serialize(serializer)

    def _all(self) -> Iterator[tuple[str, Any]]:
        for link in self._links:
            for path, param in link.namedparams(include_uninit=False):
                param.unscale_grad()  # an update in float32 leaves the gradient of the scaled loss
                for kind in self._kinds:
                    array = param.array if kind == "data" else param.grad
                    if array is None:
                        continue
                    for name, function in self._statistics.items():
                        value = self._compute(function, array.reshape(-1))
                        yield from _numbered(self._key(link, path, kind, name), value)

    def _key(self, link: Link, path: str, kind: str, name: str) -> str:
        return "/".join(filter(None, [self._prefix, link.name, path.strip("/"), kind, name]))

    def _compute(self, function: Callable[[Array], Any], array: Array) -> Any:
        if self._skip_nan and bool(get_array_module(array).isnan(array).any()):
            return math.nan
        return function(array)


def _numbered(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield one number under the key itself, or several under the key and their indexes."""
    size = getattr(value, "size", None) if hasattr(value, "ndim") else len(value) if _is_list(value) else None
    if size is None or getattr(value, "ndim", 1) == 0:
        yield key, value
    elif size == 1:
        yield key, value[0]
    else:
        yield from ((f"{key}/{i}", value[i]) for i in range(size))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))
