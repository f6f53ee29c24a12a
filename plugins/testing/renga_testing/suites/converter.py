"""`ConverterSuite`: the kit of converters. How to write one: docs/how-to/write-a-converter.md."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Device, get_device, get_device_of
from renga_core.plugin.state import describe_error
from renga_testing.suites.comparing import compare
from renga_testing.suites.examples import difference
from renga_testing.suites.suite import ProviderSuite

__all__ = ["ConverterSuite"]

DTYPES = ("float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")
STRUCTURES = ("array", "tuple", "dictionary")


class ConverterSuite(ProviderSuite):
    """Tests of a function that returns a converter: ``converter(batch, device)``.

    Its examples are arrays, tuples of an array and a number, and dictionaries of the same.
    """

    kind = "converter"
    extras: ClassVar[Mapping[str, str]] = {
        "lists": "it returns examples in lists instead of stacking them: their shapes may differ",
        "host": "arrays stay on the host, whichever device is requested",
    }

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for devices and kinds of examples."""
        return {**super().parameters(), "structure": STRUCTURES}

    @classmethod
    def capabilities_tested(cls) -> frozenset[str]:
        """Capabilities for `test_values`, `test_device` and `test_unequal_shapes`."""
        return super().capabilities_tested() | set(cls.extras)

    # --- batches ----------------------------------------------------------------------------------------------------

    def test_what_it_returns(self, structure: str) -> None:
        """Tuples become a tuple, dictionaries a dictionary with the same keys, and arrays an array."""
        made = self._converted(_batch(structure), get_device("numpy"))
        if structure == "tuple":
            assert isinstance(made, tuple), f"from tuples, it makes a {type(made).__name__}; expected a tuple"
            assert len(made) == 2, f"from tuples of 2, it makes a tuple of {len(made)}"
        elif structure == "dictionary":
            assert isinstance(made, Mapping), (
                f"from dictionaries, it makes a {type(made).__name__}; expected a dictionary"
            )
            assert {*made} == {"x", "t"}, f"from dictionaries with the keys t and x, it makes the keys {sorted(made)}"
        else:
            assert not isinstance(made, (tuple, Mapping)), (
                f"from arrays, it makes a {type(made).__name__}, which would be passed as several arguments"
            )

    def test_values(self, structure: str) -> None:
        """Along the first axis are the examples, in order and with their dtype; or they are in a list (`lists`)."""
        for size in (3, 1):
            batch = _batch(structure, size)
            self._check(self._converted(batch, get_device("numpy")), batch)

    def test_dtypes(self) -> None:
        """Arrays keep their dtype."""
        for dtype in DTYPES:
            batch = [np.arange(4).astype(dtype) + np.array(i, dtype) for i in range(3)]
            self._check(self._converted(batch, get_device("numpy")), batch)

    def test_device(self, device: Device, structure: str) -> None:
        """Arrays are on the device, given as object or name; without a device, they do not move."""
        right = get_device("numpy") if "host" in self.declared else device
        for asked in (device, device.name, None):
            batch = _batch(structure)
            made = self._converted(batch, asked)
            self._check(made, batch)
            there = get_device("numpy") if asked is None else right
            for name, part in _parts(made):
                for array in part if isinstance(part, list) else [part]:
                    # A NumPy scalar has no device; an array without axes has one.
                    found = get_device("numpy") if isinstance(array, np.generic) else get_device_of(array)
                    wanted = f"asked for {asked}" if asked is not None else "without a device"
                    numbers = isinstance(array, np.generic) and there == get_device("numpy")
                    assert numbers or found == there, f"{name}, {wanted}, is on {found} instead of {there}"

    def test_same_again(self) -> None:
        """A batch gives the same result again, after other batches."""
        converter, device = self.make(), get_device("numpy")
        for size in (3, 2, 3):
            batch = _batch("tuple", size)
            self._check(self._converted(batch, device, converter), batch)

    def test_examples_are_unchanged(self, structure: str) -> None:
        """Examples and their list do not change: they may be the data set's own memory."""
        batch = _batch(structure)
        kept = copy.deepcopy(batch)
        self._converted(batch, get_device("numpy"))
        assert len(batch) == len(kept), (
            f"the batch has {len(batch)} examples after it was converted; it had {len(kept)}"
        )
        for number, (example, before) in enumerate(zip(batch, kept, strict=True)):
            wrong = difference(example, before)
            assert not wrong, f"example {number}, after it was converted: {wrong}"

    # --- examples that do not fit
    # ------------------------------------------------------------------------------------------

    def test_unequal_shapes(self) -> None:
        """Examples of different shapes are refused or padded; converters that declare `lists` accept them."""
        batch = [np.arange(1.0, number + 2, dtype=np.float32) for number in range(3)]
        if "lists" in self.declared:
            self._check(self._converted(batch, get_device("numpy")), batch)
            return
        made = self._refused(batch, "arrays of shapes (1,), (2,) and (3,)")
        if made is None:
            return
        shape = tuple(getattr(made, "shape", ()))
        assert len(shape) == 2, (
            f"from arrays of shapes (1,), (2,), (3,) it makes {_what(made)}; refuse them, or pad them"
        )
        for number, example in enumerate(batch):
            compare(made[number, : len(example)], example, f"example {number}, padded,", exact=True)

    def test_unequal_examples(self) -> None:
        """Examples with more or fewer elements, or other keys, are refused: no data is silently dropped."""
        x, t = np.zeros(2, np.float32), np.int32(1)
        unequal: dict[str, list[Any]] = {
            "a tuple of 2, then one of 3": [(x, t), (x, t, t)],
            "a tuple of 2, then one of 1": [(x, t), (x,)],
            "a dictionary with the key t, then one without": [{"x": x, "t": t}, {"x": x}],
            "a dictionary with the key x, then one with x and t": [{"x": x}, {"x": x, "t": t}],
            "a tuple, then an array": [(x, t), x],
        }
        for what, batch in unequal.items():
            made = self._refused(batch, what)
            assert made is None, f"{what}: it makes {_what(made)} and raises no error"

    def test_empty_batch(self) -> None:
        """A batch without examples is refused."""
        made = self._refused([], "an empty batch")
        assert made is None, f"from an empty batch, it makes {_what(made)} and raises no error"

    # --- elsewhere --------------------------------------------------------------------------------------------------

    def test_pickling(self) -> None:
        """It can be sent to another process, and gives the same results there."""
        converter, batch = self.make(), _batch("tuple")
        try:
            sent = pickle.loads(pickle.dumps(converter))
        except Exception as error:
            raise AssertionError(f"it cannot be sent to a process: {describe_error(error)}") from error
        self._check(self._converted(batch, get_device("numpy"), sent), batch)

    # --- helpers ----------------------------------------------------------------------------------------------------

    def _converted(self, batch: list[Any], device: Device | str | None, converter: Any = None) -> Any:
        converter = self.make() if converter is None else converter
        assert callable(converter), f"{self.label} returns {_what(converter)}, which cannot be called"
        try:
            return converter(batch, device)
        except Exception as error:
            example = type(batch[0]).__name__
            raise AssertionError(
                f"{self.label}, called with {len(batch)} examples (each a {example}) and the device {device}, raises "
                f"{describe_error(error)}"
            ) from error

    def _refused(self, batch: list[Any], what: str) -> Any:
        """Return the result for an invalid batch; None if the converter refuses it with a clear message."""
        try:
            return self.make()(batch, get_device("numpy"))
        except (IndexError, KeyError, AttributeError, TypeError, StopIteration) as error:
            raise AssertionError(
                f"{what}: it raises {describe_error(error)}; expected a ValueError that says which example does not fit"
            ) from error
        except Exception as error:
            if str(error).strip():
                return None
            raise AssertionError(f"{what}: it raises {type(error).__name__} without a message") from error

    def _check(self, made: Any, batch: list[Any]) -> None:
        """Assert that each element of the examples was converted correctly."""
        right = dict(_columns(batch))
        for name, part in _parts(made):
            column = right[name]
            if "lists" in self.declared:
                assert isinstance(part, list), f"{name} is {_what(part)}; it declares lists"
                assert len(part) == len(column), f"{name} has {len(part)} entries for {len(column)} examples"
                for number, (got, example) in enumerate(zip(part, column, strict=True)):
                    compare(got, example, f"{name}, of example {number},", exact=True)
                continue
            hint = "; if it returns examples in lists, declare lists" if isinstance(part, list) else ""
            assert hasattr(part, "shape"), f"{name} is {_what(part)}; expected an array{hint}"
            compare(part, np.stack(column), f"{name} of {len(batch)} examples,", exact=True)


def _batch(structure: str, size: int = 3) -> list[Any]:
    """Examples with a float32 array (2, 3); if an example has two elements, the second is an int32 number."""
    pairs = [
        (np.arange(6, dtype=np.float32).reshape(2, 3) + 10 * number, np.int32(number + size)) for number in range(size)
    ]
    if structure == "tuple":
        return [*pairs]
    return [x if structure == "array" else {"x": x, "t": t} for x, t in pairs]


def _columns(batch: list[Any]) -> Iterable[tuple[str, list[Any]]]:
    """Each element of the examples, all of them."""
    if isinstance(batch[0], tuple):
        return [(f"element {i}", [example[i] for example in batch]) for i in range(len(batch[0]))]
    if isinstance(batch[0], Mapping):
        return [(f"{key!r}", [example[key] for example in batch]) for key in batch[0]]
    return [("the result", batch)]


def _parts(made: Any) -> Iterable[tuple[str, Any]]:
    """Yield each element of a converter's result."""
    if isinstance(made, tuple):
        return [(f"element {i}", part) for i, part in enumerate(made)]
    if isinstance(made, Mapping):
        return [(f"{key!r}", part) for key, part in made.items()]
    return [("the result", made)]


def _what(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"a {type(value).__name__}" + ("" if shape is None else f" of shape {tuple(shape)}")
