"""`KernelSuite`: the kit of kernels. How to write one: docs/how-to/write-a-kernel.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from renga_core.backend import Backend, get_backend, to_host
from renga_core.kernel import Implementation, Operation, operations
from renga_core.kernel.sample import Sample, Seeded
from renga_core.plugin import FUNCTION, KERNEL, OPTIMIZER, Kernel, registry
from renga_core.plugin.offering import resolve
from renga_core.testing.suites.comparing import compare
from renga_core.testing.suites.suite import ProviderSuite

__all__ = ["KernelSuite"]

DTYPES = ("float16", "float32", "float64")
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "gaps": lambda x: _with_gaps(x),
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "channels_last": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1) if x.ndim > 2 else x,
}
TOLERANCES = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-11}


class KernelSuite(ProviderSuite):
    """Tests of a kernel against the reference of its operation, on the samples that the operation declares.

    A kernel may declare what it supports: dtypes (``float16`` …) and layouts (``gaps``, ``transposed``,
    ``channels_last``). Then it must support some sample of that sort, and none of a dtype that it does not declare.

    Attributes:
        tolerances: How far results may be from the reference's, relatively to their largest element, by dtype.
    """

    kind = KERNEL
    extras: ClassVar[Mapping[str, str]] = {
        "float16": "supports half precision",
        "float32": "supports single precision",
        "float64": "supports double precision",
        "gaps": "supports arrays with gaps",
        "transposed": "supports arrays whose axes lie in reverse order",
        "channels_last": "supports arrays whose second axis lies innermost",
    }
    tolerances: ClassVar[Mapping[str, float]] = TOLERANCES

    def samples(self, rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterable[Sample]:
        """Arguments to try the kernel with. Default: those that the operation declares."""
        assert self.operation.samples, (
            f"operation {self.operation.name!r} declares no samples; define samples(rng, dtype)"
        )
        made: Iterable[Sample] = resolve(self.operation.samples)(rng, dtype)
        return made

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """What may be declared."""
        return {"supported": tuple(cls.extras)}

    def check_target(self, target: Any) -> None:
        """An object with `forward`, and `backward` if the operation has one."""
        assert callable(getattr(target, "forward", None)), f"target {self.offer.provider.target} has no forward"

    # --- results -----------------------------------------------------------------------------------------------------

    def test_forward(self, backend: Backend) -> None:
        """Wherever it says that it supports the arguments, its result is the reference's."""
        for dtype, what, sample, args in self._supported(backend):
            got = self.kernel.forward(*_ready(backend, args, sample.changed))
            right = self.operation.reference.forward(*_ready(backend, args, sample.changed))
            self._agree(got, right, dtype, f"forward, {what}")

    def test_backward(self, backend: Backend) -> None:
        """So are its gradients, each by what its own forward has kept; also when asked for them twice."""
        if self.operation.reference.backward is None:
            assert self.kernel.backward is None, "it has a backward; the operation has none, so nothing would call it"
            return
        assert self.kernel.backward is not None, "it has no backward; the operation's reference has one"
        for dtype, what, sample, args in self._supported(backend):
            assert sample.backward is not None, f"sample {sample.name!r} says no arguments of backward"
            rng = np.random.default_rng(1)
            right_y = self.operation.reference.forward(*_ready(backend, args))
            gy = backend.asarray(rng.uniform(-1, 1, _many(right_y)[0].shape).astype(dtype))
            right = self.operation.reference.backward(*sample.backward(args, right_y, gy))
            y = self.kernel.forward(*_ready(backend, args))
            given = sample.backward(args, y, gy)
            for time in ("", ", asked a second time"):
                self._agree(self.kernel.backward(*given), right, dtype, f"backward, {what}{time}")

    def test_inputs_are_unchanged(self, backend: Backend) -> None:
        """Neither forward nor backward changes what it is given, but for what the operation is to change."""
        for dtype, what, sample, args in self._supported(backend):
            before = [np.array(to_host(x)) for x in args if _is_array(x)]
            y = self.kernel.forward(*_ready(backend, args, sample.changed))
            self._unchanged(args, before, f"forward, {what}")
            if self.kernel.backward is None or sample.backward is None:
                continue
            gy = backend.asarray(np.ones(_many(y)[0].shape, dtype))
            given = sample.backward(args, y, gy)
            held = [np.array(to_host(x)) for x in given if _is_array(x)]
            self.kernel.backward(*given)
            self._unchanged(given, held, f"backward, {what}")

    def test_result_is_its_own(self, backend: Backend) -> None:
        """A second call does not change the result of the first."""
        for _, what, sample, args in self._supported(backend):
            first = _many(self.kernel.forward(*_ready(backend, args, sample.changed)))[0]
            kept = np.array(to_host(first))
            doubled = tuple(x + x if _is_array(x) and _is_floating(x) else x for x in args)
            if self.kernel.supports(*_ready(backend, doubled)):
                self.kernel.forward(*_ready(backend, doubled, sample.changed))
            assert np.array_equal(to_host(first), kept, equal_nan=True), f"a second call changes the result ({what})"

    # --- what it supports --------------------------------------------------------------------------------------------

    def test_supports_never_raises(self, backend: Backend) -> None:
        """`supports` answers True or False, whatever forward may be called with."""
        for _, what, _, args in self._all(backend):
            for strange, variant in _variants(backend, args):
                try:
                    answer = self.kernel.supports(*variant)
                except Exception as error:
                    raise AssertionError(f"supports raised {error!r} for {strange} ({what})") from error
                assert isinstance(answer, bool), f"supports answered {answer!r} ({what}); expected True or False"

    def test_supports_something(self, backend: Backend) -> None:
        """There are arguments that it supports: otherwise it is never used."""
        assert any(True for _ in self._supported(backend)), "supports is False for every sample: it would never be used"

    def test_declared_support(self, backend: Backend, supported: str) -> None:
        """Of what it declares to support, there is something that it supports."""
        found = any(supported in (dtype, what.split()[0]) for dtype, what, _, _ in self._supported(backend))
        assert found, f"it declares {supported}, and supports no sample of that sort"

    def test_undeclared_support(self, backend: Backend) -> None:
        """If it declares dtypes, it supports no other ones."""
        declared = self.declared & set(DTYPES)
        surplus = sorted({dtype for dtype, *_ in self._supported(backend)} - declared)
        assert not declared or not surplus, f"it supports {', '.join(surplus)}, which it does not declare"

    # --- helpers -----------------------------------------------------------------------------------------------------

    @pytest.fixture
    def backend(self) -> Backend:
        """The backend that it is for."""
        return get_backend(self._description.backend)

    @property
    def operation(self) -> Operation:
        """What it computes."""
        name = self._description.op
        # An operation is known once the module of the function, or optimizer, that it serves has been imported.
        for kind in (FUNCTION, OPTIMIZER) if name not in operations else ():
            for served in registry(kind).names():
                registry(kind).load(served)
        assert name in operations, f"there is no operation {name!r}. Known: {', '.join(sorted(operations))}"
        return operations[name]

    @property
    def kernel(self) -> Implementation:
        """The kernel as the library gets it."""
        target, supports = self.target, self._description.supports
        backward = getattr(target, "backward", None)
        if not supports:
            return Implementation(self.offer.full_name, target.forward, backward)
        return Implementation(self.offer.full_name, target.forward, backward, resolve(supports))

    @property
    def _description(self) -> Kernel:
        provider = self.offer.provider
        assert isinstance(provider, Kernel)
        return provider

    def _all(self, backend: Backend) -> Iterator[tuple[str, str, Sample, tuple[Any, ...]]]:
        for dtype in DTYPES:
            for layout, lay in LAYOUTS.items():
                for sample in self.samples(np.random.default_rng(0), np.dtype(dtype)):
                    args = tuple(_sent(backend, x, lay) for x in sample.args)
                    yield dtype, f"{layout} {dtype}, {sample.name}", sample, args

    def _supported(self, backend: Backend) -> Iterator[tuple[str, str, Sample, tuple[Any, ...]]]:
        for dtype, what, sample, args in self._all(backend):
            if self.kernel.supports(*_ready(backend, args)):
                yield dtype, what, sample, args

    def _agree(self, got: Any, right: Any, dtype: str, what: str) -> None:
        results, references = _many(got), _many(right)
        # What forward returns beside its result is for its own backward.
        for i, (one, reference) in enumerate(zip(results, references, strict=False)):
            if not _is_array(reference):
                continue
            host = to_host(reference)
            finite = np.abs(host[np.isfinite(host)].astype(np.float64))
            scale = max(1.0, float(finite.max())) if finite.size else 1.0
            name = f"{what}, result {i}" if len(references) > 1 else what
            compare(one, host, name, self.tolerances[dtype] * scale)

    def _unchanged(self, arrays: Sequence[Any], before: Sequence[Any], what: str) -> None:
        held = [x for x in arrays if _is_array(x)]
        for i, (x, then) in enumerate(zip(held, before, strict=True)):
            same = np.array_equal(to_host(x), then, equal_nan=then.dtype.kind == "f")
            assert same, f"array {i} of its arguments was changed ({what})"


def _sent(backend: Backend, x: Any, lay: Callable[[Any], Any]) -> Any:
    """A host array as one of the backend, in the layout wanted if the backend keeps layouts; anything else as it is."""
    return backend.asarray(lay(x)) if isinstance(x, np.ndarray) else x


def _ready(backend: Backend, args: tuple[Any, ...], changed: tuple[int, ...] = ()) -> tuple[Any, ...]:
    """Arguments for one call: a generator, new and with its seed, wherever one is meant; copies of those it changes."""
    return tuple(
        backend.make_generator(x.seed) if isinstance(x, Seeded) else _copied(backend, x) if i in changed else x
        for i, x in enumerate(args)
    )


def _copied(backend: Backend, x: Any) -> Any:
    """A copy that lies in memory as the array does, with its gaps."""
    host = to_host(x)
    span = sum(max(n - 1, 0) * step for n, step in zip(host.shape, host.strides, strict=True)) // host.itemsize + 1
    made = as_strided(np.empty(span, host.dtype), host.shape, host.strides)
    made[...] = host
    return backend.asarray(made)


def _with_gaps(x: Any) -> Any:
    if not x.ndim:
        return x
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return wide[..., ::2]


def _variants(backend: Backend, args: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The same arguments, and what a user may pass by mistake."""
    yield "the sample", args

    def replaced(change: Callable[[Any], Any]) -> tuple[Any, ...]:
        return tuple(change(x) if _is_array(x) else x for x in args)

    with np.errstate(invalid="ignore"):  # infinity is no whole number
        whole = replaced(lambda x: backend.asarray(to_host(x).astype(np.int32)))
    yield "whole numbers", whole
    yield "truth values", replaced(lambda x: backend.asarray(to_host(x).astype(bool)))
    yield "arrays without elements", replaced(lambda x: x[:0] if x.ndim else x)
    mixed = [i for i, x in enumerate(args) if _is_array(x)][-1:]
    yield (
        "two dtypes",
        tuple(backend.asarray(to_host(x).astype(np.float64)) if i in mixed else x for i, x in enumerate(args)),
    )


def _is_array(x: Any) -> bool:
    return hasattr(x, "dtype") and hasattr(x, "shape")


def _is_floating(x: Any) -> bool:
    return bool(to_host(x).dtype.kind == "f")


def _many(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (tuple, list)) else (value,)
