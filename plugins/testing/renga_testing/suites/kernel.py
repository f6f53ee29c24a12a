"""`KernelSuite`: the kit of kernels. How to write one: docs/how-to/write-a-kernel.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from renga_core.backend import Backend, get_backend, is_floating, to_host
from renga_core.kernel import Implementation, ListOperation, Operation, operations
from renga_core.kernel.operation import known_operations
from renga_core.kernel.sample import Sample, Seeded
from renga_core.kinds import KERNEL
from renga_core.plugin import Kernel
from renga_core.plugin.provider import resolve
from renga_testing.suites.comparing import compare
from renga_testing.suites.suite import ProviderSuite

__all__ = ["KernelSuite"]

DTYPES = ("float16", "bfloat16", "float32", "float64")
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x,
    "gaps": lambda x: _with_gaps(x),
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "channels_last": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1) if x.ndim > 2 else x,
}
TOLERANCES = {"float16": 1e-2, "bfloat16": 8e-2, "float32": 2e-5, "float64": 1e-11}


class KernelSuite(ProviderSuite):
    """Tests of a kernel against the reference of its operation, on the samples that the operation declares.

    A kernel may declare dtypes (``float16`` …) and layouts (``gaps``, ``transposed``, ``channels_last``). Then it must
    support a sample with each declared one, and no sample with an undeclared dtype.

    Attributes:
        tolerances: By dtype, tolerance against the reference's results, relative to their largest element.
    """

    kind = KERNEL
    extras: ClassVar[Mapping[str, str]] = {
        "float16": "supports half precision",
        "bfloat16": "supports bfloat16: half precision with the range of single precision (package ml_dtypes)",
        "float32": "supports single precision",
        "float64": "supports double precision",
        "gaps": "supports arrays with gaps",
        "transposed": "supports arrays whose axes lie in reverse order",
        "channels_last": "supports arrays whose second axis lies innermost",
    }
    tolerances: ClassVar[Mapping[str, float]] = TOLERANCES

    def samples(self, rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterable[Sample]:
        """Arguments for the kernel. Default: those that the operation declares."""
        assert self.operation.samples, (
            f"operation {self.operation.name!r} declares no samples; define samples(rng, dtype)"
        )
        made: Iterable[Sample] = resolve(self.operation.samples)(rng, dtype)
        return made

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for the capabilities."""
        return {"supported": tuple(cls.extras)}

    def prepare(self) -> None:
        """Import the module of the operation; its plugin may add settings of its own."""
        super().prepare()
        with suppress(Exception):  # as tests of it tell
            if self._description.op not in operations:
                known_operations()

    def check_target(self, target: Any) -> None:
        """An object with `forward`, and `backward` if the operation has one."""
        assert callable(getattr(target, "forward", None)), f"target {self.offer.provider.target} has no forward"

    # --- results -----------------------------------------------------------------------------------------------------

    def test_forward(self, backend: Backend) -> None:
        """For all arguments that it declares as supported, its result equals the reference's."""
        for dtype, what, sample, args in self._supported(backend):
            got = self.kernel.forward(*_ready(backend, args, sample.changed))
            right = self.reference.forward(*_ready(backend, args, sample.changed))
            self._agree(got, right, dtype, f"forward, {what}")

    def test_many_rows(self, backend: Backend) -> None:
        """If the operation takes lists, the result of each row does not depend on the other rows."""
        operation = self.operation
        if not isinstance(operation, ListOperation):
            return
        together: dict[Any, list[tuple[Any, ...]]] = {}
        for dtype, _, sample, args in self._supported(backend):
            row, numbers = args[: operation.lists], args[operation.lists :]
            together.setdefault((dtype, sample.changed, numbers), []).append(row)
        for (dtype, changed, numbers), rows in together.items():
            alone, beside = ([_ready(backend, row, changed) for row in rows] for _ in range(2))
            for row in alone:
                self.kernel.forward(*row, *numbers)
            self.target.forward(*zip(*beside, strict=True), *numbers)
            for i, (got, right) in enumerate(zip(beside, alone, strict=True)):
                self._agree(got, right, dtype, f"forward of {len(rows)} rows of {dtype} in one call, row {i}")

    def test_backward(self, backend: Backend) -> None:
        """Its gradients equal the reference's, computed from its own forward; also in a second call."""
        if self.reference.backward is None:
            assert self.kernel.backward is None, "it has a backward; the operation has none, so nothing would call it"
            return
        assert self.kernel.backward is not None, "it has no backward; the operation's reference has one"
        for dtype, what, sample, args in self._supported(backend):
            assert sample.backward is not None, f"sample {sample.name!r} gives no arguments of backward"
            rng = np.random.default_rng(1)
            right_y = self.reference.forward(*_ready(backend, args))
            gy = backend.asarray(rng.uniform(-1, 1, _many(right_y)[0].shape).astype(dtype))
            right = self.reference.backward(*sample.backward(args, right_y, gy))
            y = self.kernel.forward(*_ready(backend, args))
            given = sample.backward(args, y, gy)
            for time in ("", ", called a second time"):
                self._agree(self.kernel.backward(*given), right, dtype, f"backward, {what}{time}")

    def test_inputs_are_unchanged(self, backend: Backend) -> None:
        """Neither forward nor backward changes its arguments, except those that the operation updates."""
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

    def test_what_is_not_finite_shows(self, backend: Backend) -> None:
        """NaN or infinity in an argument or a gradient is not hidden: results are NaN or infinite in exactly the
        elements where the reference's are.
        """
        tried = set()
        for dtype, what, sample, args in self._supported(backend):
            if (dtype, sample.name) in tried:
                continue  # in one layout: there are three numbers in three places of each argument
            tried.add((dtype, sample.name))
            with np.errstate(all="ignore"):
                for i, x in enumerate(args):
                    if _is_array(x) and _is_floating(x) and math.prod(x.shape):
                        self._shows(backend, sample, args, i, f"argument {i}, {what}")
                if self.kernel.backward is not None and sample.backward is not None:
                    self._shows_in_backward(backend, sample, args, dtype, what)

    def test_result_is_its_own(self, backend: Backend) -> None:
        """A second call, forward or backward, does not change the first result, or the arrays for its backward."""
        for dtype, what, sample, args in self._supported(backend):
            first = self.kernel.forward(*_ready(backend, args, sample.changed))
            kept = np.array(to_host(_many(first)[0]))
            others = tuple(_others(backend, x) if _is_array(x) and _is_floating(x) else x for x in args)
            again = self.kernel.supports(*_ready(backend, others))
            second = self.kernel.forward(*_ready(backend, others, sample.changed)) if again else first
            self._still(_many(first)[0], kept, f"a second call changes the result ({what})")
            if not again or self.kernel.backward is None or sample.backward is None:
                continue
            assert self.reference.backward is not None
            gy = backend.asarray(np.random.default_rng(1).uniform(-1, 1, kept.shape).astype(dtype))
            right_y = self.reference.forward(*_ready(backend, args))
            right = self.reference.backward(*sample.backward(args, right_y, gy))
            got = self.kernel.backward(*sample.backward(args, first, gy))
            self._agree(got, right, dtype, f"backward, after another forward, {what}")
            gradients = [x for x in _many(got) if _is_array(x)]
            held = [np.array(to_host(x)) for x in gradients]
            self.kernel.backward(*sample.backward(others, second, gy))
            for gradient, before in zip(gradients, held, strict=True):
                self._still(gradient, before, f"a second call of backward changes the gradients of the first ({what})")

    # --- what it supports --------------------------------------------------------------------------------------------

    def test_supports_never_raises(self, backend: Backend) -> None:
        """`supports` returns True or False for all possible arguments of forward."""
        for _, what, _, args in self._all(backend):
            for strange, variant in _variants(backend, args):
                try:
                    answer = self.kernel.supports(*variant)
                except Exception as error:
                    raise AssertionError(f"supports raised {error!r} for {strange} ({what})") from error
                assert isinstance(answer, bool), f"supports answered {answer!r} ({what}); expected True or False"

    def test_supports_something(self, backend: Backend) -> None:
        """It supports some arguments: otherwise it would never be used."""
        assert any(True for _ in self._supported(backend)), "supports is False for every sample: it would never be used"

    def test_declared_support(self, backend: Backend, supported: str) -> None:
        """It supports at least one of the cases that it declares."""
        if supported == "bfloat16":
            pytest.importorskip("ml_dtypes", reason="NumPy has no bfloat16 of its own")
        found = any(supported in (dtype, what.split()[0]) for dtype, what, _, _ in self._supported(backend))
        assert found, f"it declares {supported}, but supports no sample of this kind"

    def test_undeclared_support(self, backend: Backend) -> None:
        """If it declares dtypes, it supports no others."""
        declared = self.declared & set(DTYPES)
        surplus = sorted({dtype for dtype, *_ in self._supported(backend)} - declared)
        assert not declared or not surplus, f"it supports {', '.join(surplus)}, which it does not declare"

    # --- helpers -----------------------------------------------------------------------------------------------------

    @pytest.fixture(autouse=True)
    def infinities(self) -> Iterator[None]:
        """Samples may have infinities, for which NumPy warns in the reference."""
        with np.errstate(over="ignore", invalid="ignore"):
            yield

    @pytest.fixture
    def backend(self) -> Backend:
        """The backend that it is for."""
        return get_backend(self._description.backend)

    @cached_property
    def operation(self) -> Operation:
        """What it computes."""
        name = self._description.op
        # An operation is known once the module of the function, or optimizer, that it serves has been imported.
        known = operations if name in operations else known_operations()
        assert name in known, f"there is no operation {name!r}. Known: {', '.join(sorted(known))}"
        return operations[name]

    @cached_property
    def kernel(self) -> Implementation:
        """The kernel in the form that the library calls."""
        target, supports = self.target, self._description.supports
        backward = getattr(target, "backward", None)
        if not supports:
            return self._of_one_row(Implementation(self.offer.full_name, target.forward, backward))
        return self._of_one_row(Implementation(self.offer.full_name, target.forward, backward, resolve(supports)))

    @cached_property
    def reference(self) -> Implementation:
        """The reference implementation."""
        return self._of_one_row(self.operation.reference)

    def _of_one_row(self, implementation: Implementation) -> Implementation:
        """If the operation takes lists, wrap an implementation so that it takes one row, and returns the updated
        arrays."""
        operation = self.operation
        if not isinstance(operation, ListOperation):
            return implementation

        def forward(*args: Any) -> tuple[Any, ...]:
            implementation.forward(*([x] for x in args[: operation.lists]), *args[operation.lists :])
            return args[: operation.lists]

        return implementation._replace(forward=forward)

    @property
    def _description(self) -> Kernel:
        provider = self.offer.provider
        assert isinstance(provider, Kernel)
        return provider

    def _all(self, backend: Backend) -> Iterator[tuple[str, str, Sample, tuple[Any, ...]]]:
        for name, dtype in _known_dtypes(self.declared):
            samples = list(self.samples(np.random.default_rng(0), dtype))
            for layout, lay in LAYOUTS.items():
                for sample in samples:
                    args = tuple(_sent(backend, x, lay) for x in sample.args)
                    yield name, f"{layout} {name}, {sample.name}", sample, args

    def _supported(self, backend: Backend) -> Iterator[tuple[str, str, Sample, tuple[Any, ...]]]:
        for dtype, what, sample, args in self._all(backend):
            if self.kernel.supports(*_ready(backend, args)):
                yield dtype, what, sample, args

    def _shows(self, backend: Backend, sample: Sample, args: tuple[Any, ...], i: int, where: str) -> None:
        """Test one argument with finite and non-finite numbers in it, forward and backward."""

        def results(implementation: Implementation, x: Any) -> list[Any]:
            given = (*args[:i], x, *args[i + 1 :])
            y = implementation.forward(*_ready(backend, given, sample.changed))
            found = [*_many(y)]
            if implementation.backward is not None and sample.backward is not None:
                gy = backend.asarray(np.full(_many(y)[0].shape, 0.5, to_host(_many(y)[0]).dtype))
                found += _many(implementation.backward(*sample.backward(given, y, gy)))
            return found

        reference = self.reference
        for place, variants in _spoiled(backend, args[i]):
            depends = _depends([results(reference, variants[number]) for number in _FINITE])
            for number in _NOT_FINITE:
                given = (*args[:i], variants[number], *args[i + 1 :])
                if self.kernel.supports(*_ready(backend, given)):
                    got, right = results(self.kernel, variants[number]), results(reference, variants[number])
                    what = f"with {number} in element {place} of {where}"
                    _same_finite(got, right, depends, i in sample.bordered, what)

    def _shows_in_backward(
        self, backend: Backend, sample: Sample, args: tuple[Any, ...], dtype: str, what: str
    ) -> None:
        assert sample.backward is not None
        reference, kernel = self.reference, self.kernel
        assert reference.backward is not None
        assert kernel.backward is not None
        right_y = reference.forward(*_ready(backend, args))
        y = kernel.forward(*_ready(backend, args))
        ones = backend.asarray(np.ones(_many(y)[0].shape, dtype))
        if not math.prod(ones.shape):
            return
        for place, variants in _spoiled(backend, ones):
            finite = [
                _many(reference.backward(*sample.backward(args, right_y, variants[number]))) for number in _FINITE
            ]
            for number in _NOT_FINITE:
                right = _many(reference.backward(*sample.backward(args, right_y, variants[number])))
                got = _many(kernel.backward(*sample.backward(args, y, variants[number])))
                where = f"with {number} in element {place} of the gradient, {what}"
                _same_finite(got, right, _depends(finite), True, where)

    def _agree(self, got: Any, right: Any, dtype: str, what: str) -> None:
        results, references = _many(got), _many(right)
        # The other results of forward are only for its own backward.
        for i, (one, reference) in enumerate(zip(results, references, strict=False)):
            if not _is_array(reference):
                continue
            host = to_host(reference)
            finite = np.abs(host[np.isfinite(host)].astype(np.float64))
            scale = max(1.0, float(finite.max())) if finite.size else 1.0
            name = f"{what}, result {i}" if len(references) > 1 else what
            if dtype == "bfloat16" and is_floating(host.dtype):
                # NumPy converts it to float32 in some functions, so the reference's dtype is not compared.
                host = host.astype(to_host(one).dtype)
            compare(one, host, name, self.tolerances[dtype] * scale)

    def _still(self, x: Any, before: Any, otherwise: str) -> None:
        assert np.array_equal(to_host(x), before, equal_nan=is_floating(before.dtype)), otherwise

    def _unchanged(self, arrays: Sequence[Any], before: Sequence[Any], what: str) -> None:
        held = [x for x in arrays if _is_array(x)]
        for i, (x, then) in enumerate(zip(held, before, strict=True)):
            same = np.array_equal(to_host(x), then, equal_nan=is_floating(then.dtype))
            assert same, f"array {i} of its arguments was changed ({what})"


def _known_dtypes(declared: frozenset[str]) -> Iterator[tuple[str, np.dtype[Any]]]:
    """The dtypes to test, by name; bfloat16, from the package ml_dtypes, only if declared."""
    for name in DTYPES:
        if name != "bfloat16":
            yield name, np.dtype(name)
        elif name in declared:
            with suppress(ImportError):
                yield name, np.dtype(import_module("ml_dtypes").bfloat16)


_FINITE, _NOT_FINITE = (50.0, -50.0, 20.0), (math.nan, math.inf, -math.inf)


def _spoiled(backend: Backend, x: Any) -> Iterator[tuple[int, Mapping[float, Any]]]:
    """Copies of the array with each number in place of the first, a middle and the last element."""
    host = to_host(x)
    for place in sorted({0, host.size // 2, host.size - 1}):
        variants = {}
        for number in (*_FINITE, *_NOT_FINITE):
            changed = np.array(host)
            changed.reshape(-1)[place] = number
            variants[number] = backend.asarray(changed)
        yield place, variants


def _depends(results: Sequence[Sequence[Any]]) -> list[Any]:
    """For each result, a mask of elements that differ for finite numbers; None if it is not an array."""
    masks: list[Any] = []
    for versions in zip(*results, strict=True):
        hosts = [to_host(one) for one in versions if _is_array(one)]
        if len(hosts) < len(versions) or any(host.dtype.kind != "f" for host in hosts):
            masks.append(None)
        else:
            first, *others = hosts
            masks.append(np.any([~np.isclose(first, one, rtol=1e-3, equal_nan=True) for one in others], axis=0))
    return masks


def _same_finite(got: Sequence[Any], right: Sequence[Any], depends: Sequence[Any], bordered: bool, where: str) -> None:
    # The other results of forward are only for its own backward.
    for i, (one, reference, mask) in enumerate(zip(got, right, depends, strict=False)):
        if mask is None or not _is_array(one):
            continue
        finite, expected = np.isfinite(to_host(one)), np.isfinite(to_host(reference))
        name = f"result {i} {where}"
        hidden = finite & ~expected & mask
        assert not hidden.any(), f"{name}: the value is hidden: {hidden.sum()} elements that depend on it are finite"
        shown = ~finite & expected
        assert bordered or not shown.any(), f"{name}: {shown.sum()} elements are not finite, but should be"


def _sent(backend: Backend, x: Any, lay: Callable[[Any], Any]) -> Any:
    """Convert a host array to the backend, with the given layout if the backend keeps layouts; return others
    unchanged."""
    return backend.asarray(lay(x)) if isinstance(x, np.ndarray) else x


def _others(backend: Backend, x: Any) -> Any:
    """Return other numbers of the same kind: the array times two, in reverse order."""
    host = np.ascontiguousarray(np.flip(to_host(x)))
    return backend.asarray(host + host)


def _ready(backend: Backend, args: tuple[Any, ...], changed: tuple[int, ...] = ()) -> tuple[Any, ...]:
    """Return arguments for one call: generators are new, with their seeds; arrays to be updated are copied."""
    return tuple(
        backend.make_generator(x.seed) if isinstance(x, Seeded) else _copied(backend, x) if i in changed else x
        for i, x in enumerate(args)
    )


def _copied(backend: Backend, x: Any) -> Any:
    """A copy with the same memory layout as the array, including gaps."""
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
    """Return the same arguments, and typical mistakes of users."""
    yield "the sample", args

    def replaced(change: Callable[[Any], Any]) -> tuple[Any, ...]:
        return tuple(change(x) if _is_array(x) else x for x in args)

    with np.errstate(invalid="ignore"):  # infinity is not an integer
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
    return is_floating(to_host(x).dtype)


def _many(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (tuple, list)) else (value,)
