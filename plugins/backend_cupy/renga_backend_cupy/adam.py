"""Adam that updates all parameters in few launches, and can be captured in a CUDA graph.

`renga.optimizers.Adam` runs a dozen small kernels for each parameter. Here one kernel updates up to 80 parameters, and
the numbers that change from update to update are on the GPU: the count of updates, from which the step size follows,
is kept there by a kernel, and so goes on when a graph is replayed.

The state of each parameter has the names and the meaning that it has in Adam: snapshots of either load into the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import cupy
import numpy as np

from renga_core.backend import Device, get_device_of
from renga_core.graph import Parameter
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule

if TYPE_CHECKING:
    from renga_core.link import Link

__all__ = ["FusedAdam", "FusedAdamRule"]

_TENSORS = 80
"""Parameters for one launch: their addresses are passed by value, in less than the 4 KiB that a kernel may be given."""

_THREADS = 256
_BLOCKS = 64

_SOURCE = """
template <class T> struct Tensors { T* param[80]; const T* grad[80]; T* m[80]; T* v[80]; long long size[80]; };

// numbers: updates so far, alpha, beta1, beta2, eps, eta, weight_decay_rate, step size.
template <class T> __device__ void update(const Tensors<T>& tensors, const double* numbers) {
  const int which = blockIdx.y;
  const T beta1 = numbers[2], beta2 = numbers[3], rest1 = 1 - numbers[2], rest2 = 1 - numbers[3];
  const T eps = numbers[4], decay = 1 - numbers[5] * numbers[6], step = numbers[7];
  T* param = tensors.param[which];
  const T* grad = tensors.grad[which];
  T* m = tensors.m[which];
  T* v = tensors.v[which];
  const long long size = tensors.size[which], stride = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += stride) {
    const T g = grad[i];
    const T mean = m[i] * beta1 + rest1 * g, square = v[i] * beta2 + rest2 * g * g;
    m[i] = mean;
    v[i] = square;
    param[i] = param[i] * decay - mean / (sqrt(square) + eps) * step;
  }
}

extern "C" __global__ void update_float32(Tensors<float> tensors, const double* numbers) {
  update<float>(tensors, numbers);
}

extern "C" __global__ void update_float64(Tensors<double> tensors, const double* numbers) {
  update<double>(tensors, numbers);
}
"""

_MODULE = cupy.RawModule(code=_SOURCE)

_COUNT = cupy.ElementwiseKernel(
    "",
    "raw float64 numbers",
    """
    const double t = numbers[0] + 1;
    numbers[0] = t;
    numbers[7] = numbers[5] * numbers[1] * sqrt(1 - pow(numbers[3], t)) / (1 - pow(numbers[2], t));
    """,
    "renga_adam_count",
)

_TABLE = np.dtype(
    [(name, np.uint64, _TENSORS) for name in ("param", "grad", "m", "v")] + [("size", np.int64, _TENSORS)]
)

_HYPERPARAMETERS = ("alpha", "beta1", "beta2", "eps", "eta", "weight_decay_rate")


class FusedAdamRule(UpdateRule):
    """Adam's rule, which leaves the computing to its optimizer, to be done for many parameters at once.

    Args:
        optimizer: Whose rule it is.
    """

    def __init__(self, optimizer: FusedAdam) -> None:
        super().__init__(optimizer.hyperparam)
        self._optimizer = optimizer

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        for name in ("m", "v"):
            self.state[name] = param.xp.zeros_like(param.array)

    def begin(self, param: Parameter, device: Device) -> Parameter | None:
        """As the protocol says.

        Raises:
            TypeError: What is to be updated is not a CuPy array of float32 or float64.
        """
        target = super().begin(param, device)
        array = None if target is None else target.array
        if array is not None and not (isinstance(array, cupy.ndarray) and array.dtype.name in ("float32", "float64")):
            kind = f"{type(array).__module__}.{type(array).__qualname__} of {array.dtype}"
            raise TypeError(
                f"FusedAdam: parameter {param.name or '?'} is a {kind}; it updates CuPy arrays of float32 and float64. "
                "Half precision needs use_fp32_update(); other arrays, renga.optimizers.Adam"
            )
        return target

    def update_core(self, param: Parameter) -> None:
        """Update this parameter alone, as when somebody calls ``param.update()``."""
        self._optimizer.launch([(self, param)])


class FusedAdam(GradientMethod):
    """Adam (see `renga.optimizers.Adam` for the formula) for parameters on a GPU, in few launches.

    Args:
        alpha: Step size; `lr` is another name of it.
        beta1: Decay of the mean of gradients, from 0 to below 1.
        beta2: Decay of the mean of their squares, from 0 to below 1.
        eps: Small number that keeps divisors away from zero.
        eta: Schedule multiplier, on step and weight decay.
        weight_decay_rate: Decay of the parameter itself in each update; not multiplied by `alpha`.

    Raises:
        TypeError: In an update: a parameter is not a CuPy array of float32 or float64. Half precision needs
            ``use_fp32_update()``.
    """

    alpha = HyperparameterProxy("alpha")
    beta1 = HyperparameterProxy("beta1")
    beta2 = HyperparameterProxy("beta2")
    eps = HyperparameterProxy("eps")
    eta = HyperparameterProxy("eta")
    weight_decay_rate = HyperparameterProxy("weight_decay_rate")
    lr = HyperparameterProxy("alpha")

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eta: float = 1.0,
        weight_decay_rate: float = 0,
    ) -> None:
        super().__init__()
        values = (alpha, beta1, beta2, eps, eta, weight_decay_rate)
        for name, value in zip(_HYPERPARAMETERS, values, strict=True):
            setattr(self.hyperparam, name, value)
        self._groups: dict[tuple[FusedAdamRule, ...], _Group] = {}

    def create_update_rule(self) -> FusedAdamRule:  # noqa: D102 - the protocol's
        return FusedAdamRule(self)

    def setup(self, link: Link) -> Self:  # noqa: D102 - the protocol's
        self._groups.clear()
        return super().setup(link)

    def update_parameters(self, params: Iterable[Parameter]) -> None:
        """Begin all, launch, finish all; also with ``use_fp32_update()``."""
        begun: list[tuple[FusedAdamRule, Parameter, Parameter]] = []
        for param in params:
            rule = param.update_rule
            if not isinstance(rule, FusedAdamRule):
                param.update()  # somebody has given it another rule, or none
            elif param.array is not None:
                device = get_device_of(param.array)
                with device.use():
                    target = rule.begin(param, device)
                if target is not None:
                    begun.append((rule, param, target))
        self.launch([(rule, target) for rule, _, target in begun])
        for rule, param, target in begun:
            with get_device_of(target.array).use():
                rule.finish(param, target)

    def launch(self, begun: Sequence[tuple[FusedAdamRule, Parameter]]) -> None:
        """Update parameters: together those with the same dtype, hyperparameters and count of updates."""

        def kind(entry: tuple[FusedAdamRule, Parameter]) -> tuple[Any, ...]:
            rule, param = entry
            return (param.array.device.id, param.array.dtype.name, rule.t, *_values(rule))

        for _, entries in itertools.groupby(sorted(begun, key=kind), kind):
            rules, params = zip(*entries, strict=True)
            with params[0].array.device:
                if rules not in self._groups:
                    self._groups[rules] = _Group(rules)
                self._groups[rules].update(params)

    @contextmanager
    def record(self) -> Iterator[Callable[[], None]]:
        """For capture: within, updates are recorded and not computed.

        Counters are put back at the end. What is given is to be called before each replay: it brings changed
        hyperparameters to the GPU, and counts.
        """
        rules = [param.update_rule for param in self._link("record").params() if param.update_rule is not None]
        counted: list[Any] = [self, *rules]
        before = [x.t for x in counted]
        held = {rules: group.held for rules, group in self._groups.items()}
        steps: list[int] = []
        used: list[_Group] = []

        def before_replay() -> None:
            for group in used:
                group.prepare(group.rules[0].t + 1)
            for x, step in zip(counted, steps, strict=True):
                x.t += step

        try:
            yield before_replay
        finally:
            steps.extend(x.t - t for x, t in zip(counted, before, strict=True))
            for x, t in zip(counted, before, strict=True):
                x.t = t
            for key, group in self._groups.items():
                if group.held != held.get(key):
                    used.append(group)
                    group.held = held.get(key)


class _Group:
    """Parameters that are updated together, and their numbers on the GPU.

    Attributes:
        rules: Their rules.
        held: The count and hyperparameters that the GPU has; None at first.
    """

    def __init__(self, rules: tuple[FusedAdamRule, ...]) -> None:
        self.rules = rules
        self.held: tuple[float, ...] | None = None
        self._numbers = cupy.zeros(8)

    def prepare(self, t: int) -> None:
        """Bring what the GPU does not know to it, for update number `t`; nothing in most updates."""
        values = _values(self.rules[0])
        if self.held != (t - 1, *values):
            self._numbers.set(np.array([t - 1, *values, 0.0]))
        self.held = (t, *values)

    def update(self, params: Sequence[Parameter]) -> None:
        """Queue the update."""
        self.prepare(self.rules[0].t)
        _COUNT(self._numbers, size=1)
        launch = _MODULE.get_function(f"update_{params[0].array.dtype.name}")
        for start in range(0, len(params), _TENSORS):
            part = slice(start, start + _TENSORS)
            self._launch(launch, params[part], self.rules[part])

    def _launch(self, launch: Any, params: Sequence[Parameter], rules: Sequence[FusedAdamRule]) -> None:
        table = np.zeros((), _TABLE)
        kept: list[Any] = []
        for i, (param, rule) in enumerate(zip(params, rules, strict=True)):
            arrays = {"param": param.array, "grad": param.grad, "m": rule.state["m"], "v": rule.state["v"]}
            for name, array in arrays.items():
                dense = cupy.ascontiguousarray(array, dtype=param.array.dtype)
                table[name][i] = dense.data.ptr
                kept.append((name, array, dense))
            table["size"][i] = param.array.size
        largest = int(table["size"].max())
        if largest:
            blocks = min(_BLOCKS, -(-largest // _THREADS))
            launch((blocks, len(params)), (_THREADS,), (table, self._numbers))
        for name, array, dense in kept:
            if dense is not array and name != "grad":
                array[...] = dense


def _values(rule: FusedAdamRule) -> tuple[float, ...]:
    return tuple([float(getattr(rule.hyperparam, name)) for name in _HYPERPARAMETERS])
