"""`DatasetSuite`: the kit of data sets. How to write one: docs/how-to/write-a-dataset.md."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.dataset import DatasetMixin
from renga_core.kinds import DATASET
from renga_core.plugin.state import describe_error
from renga_testing.suites.examples import arrays_of, difference, parts_of, structure
from renga_testing.suites.suite import ProviderSuite

__all__ = ["DatasetSuite"]


class DatasetSuite(ProviderSuite):
    """Tests of a function that returns the pair (train, test) of data sets.

    An example may be drawn at random if an option says so; the kit is for the function without that option.

    Attributes:
        examples: Number of examples of each part to check, including the first and the last.
    """

    kind = DATASET
    extras: ClassVar[Mapping[str, str]] = {
        "ragged": "examples differ in shapes: a batch cannot be stacked into one array",
        "unshared": "examples may be changed in place: the data set stays as it is",
    }
    examples: ClassVar[int] = 20

    @classmethod
    def capabilities_tested(cls) -> frozenset[str]:
        """Capabilities for `test_shapes` and `test_changed_examples`."""
        return super().capabilities_tested() | set(cls.extras)

    # --- the pair ---------------------------------------------------------------------------------------------------

    def test_pair(self) -> None:
        """It returns two data sets, with at least one example each."""
        made = self.make()
        pair = isinstance(made, tuple) and len(made) == 2
        assert pair, f"{self.label} returns {_what(made)}; expected the pair (train, test)"
        for name, part in zip(("train", "test"), made, strict=True):
            indexed = hasattr(part, "__len__") and hasattr(part, "__getitem__")
            assert indexed, f"{name} is {_what(part)}, without __len__ or __getitem__"
            assert len(part), f"{name} has no examples"

    def test_made_again(self) -> None:
        """Two data sets with the same options have the same examples, so that a resumed run has its data."""
        again = dict(self._parts())
        for name, part in self._parts():
            other = again[name]
            assert len(part) == len(other), f"made twice, {name} has {len(part)} examples and {len(other)}"
            for index in self._indices(part):
                wrong = difference(self._example(name, other, index), self._example(name, part, index))
                assert not wrong, f"made twice, example {index} of {name} differs: {wrong}"

    def test_train_and_test_differ(self) -> None:
        """The training and test parts have different examples, and share no memory."""
        (_, train), (_, test) = self._parts()
        assert train is not test, "train and test are one object"
        indices = [index for index in self._indices(test) if index < len(train)]
        equal = [not difference(self._example("test", test, i), self._example("train", train, i)) for i in indices]
        assert not all(equal), "test and train have the same examples"
        known = [array for i in self._indices(train) for array in arrays_of(self._example("train", train, i))]
        for index in self._indices(test):
            mine = arrays_of(self._example("test", test, index))
            shared = any(np.shares_memory(one, other) for one in mine for other in known)
            assert not shared, f"example {index} of test shares memory with an example of train"

    # --- examples ---------------------------------------------------------------------------------------------------

    def test_same_example_again(self) -> None:
        """The example of an index is the same in each call, whatever was accessed before."""
        for name, part in self._parts():
            indices = self._indices(part)
            first = {index: copy.deepcopy(self._example(name, part, index)) for index in indices}
            for index in reversed(indices):
                wrong = difference(self._example(name, part, index), first[index])
                assert not wrong, f"example {index} of {name}, read again: {wrong}"

    def test_structure(self) -> None:
        """All examples of both parts have the same number of elements, with the same dtypes and numbers of axes."""
        self._all_alike(shapes=False)

    def test_shapes(self) -> None:
        """All examples have the same shapes; or it declares `ragged`, and shapes differ."""
        if "ragged" not in self.declared:
            self._all_alike(shapes=True)
            return
        found = {structure(self._example(*place)) for place in self._places()}
        assert len(found) > 1, (
            f"{self.label} declares ragged, but all examples that were checked are {found.pop()}: choose other options"
        )

    def test_host_arrays(self) -> None:
        """Arrays are NumPy's: examples are made on the host; a converter moves batches to a device."""
        for name, part, index in self._places():
            for path, value in parts_of(self._example(name, part, index)):
                foreign = not isinstance(value, (np.ndarray, np.generic)) and hasattr(value, "dtype")
                assert not foreign, f"example {index} of {name}: {path} is {_what(value)}; expected an array of NumPy"

    def test_changed_examples(self) -> None:
        """If it declares `unshared`, changing an example in place does not change the data set."""
        if "unshared" not in self.declared:
            return
        for name, part, index in self._places():
            example = self._example(name, part, index)
            before = copy.deepcopy(example)
            for array in arrays_of(example):
                assert array.flags.writeable, f"example {index} of {name}, of shape {array.shape}, cannot be changed"
                array[...] = np.zeros_like(array) if array.any() else np.ones_like(array)
            wrong = difference(self._example(name, part, index), before)
            assert not wrong, f"example {index} of {name}, after an earlier one was changed in place: {wrong}"

    # --- indices ----------------------------------------------------------------------------------------------------

    def test_ends(self) -> None:
        """An index out of range raises IndexError: StopIteration would end a loop, and any example would be wrong."""
        for name, part in self._parts():
            for index in (len(part), len(part) + 7, -len(part) - 1):
                try:
                    got = part[index]
                except IndexError:
                    continue
                except Exception as error:
                    raise AssertionError(
                        f"{name}[{index}], of {len(part)} examples, raises {describe_error(error)}; expected IndexError"
                    ) from error
                raise AssertionError(f"{name}[{index}], of {len(part)} examples, is {_what(got)}; expected IndexError")

    def test_negative_indices(self) -> None:
        """A negative index counts from the end, or raises IndexError, also in the first access."""
        for name, part in self._parts():
            for index in (-1, -len(part)):
                try:
                    got = part[index]
                except IndexError:
                    continue
                except Exception as error:
                    raise AssertionError(f"{name}[{index}] raises {describe_error(error)}") from error
                wrong = difference(got, self._example(name, part, index % len(part)))
                assert not wrong, f"{name}[{index}] is not example {index % len(part)}: {wrong}"

    def test_numpy_indices(self) -> None:
        """A NumPy integer is accepted as an index: orders and splits are arrays."""
        for name, part in self._parts():
            index = len(part) - 1
            try:
                got = part[np.int64(index)]
            except Exception as error:
                raise AssertionError(f"{name}[numpy.int64({index})] raises {describe_error(error)}") from error
            wrong = difference(got, self._example(name, part, index))
            assert not wrong, f"{name}[numpy.int64({index})] is not example {index}: {wrong}"

    def test_several_indices(self) -> None:
        """A slice, a list or a mask as index of a `DatasetMixin` gives a list of examples."""
        for name, part in self._parts():
            if not isinstance(part, DatasetMixin):
                continue
            last = len(part) - 1
            mask = np.arange(len(part)) == last
            asked: dict[str, tuple[Any, list[int]]] = {
                "[:2]": (slice(2), list(range(len(part)))[:2]),
                f"[[{last}, 0]]": ([last, 0], [last, 0]),
                f"[a mask with True at {last}]": (mask, [last]),
            }
            for text, (index, right) in asked.items():
                try:
                    got = list(part[index])
                except Exception as error:
                    raise AssertionError(f"{name}{text} raises {describe_error(error)}") from error
                assert len(got) == len(right), f"{name}{text} has {len(got)} examples; expected {len(right)}"
                for one, position in zip(got, right, strict=True):
                    wrong = difference(one, self._example(name, part, position))
                    assert not wrong, f"{name}{text}, at example {position}: {wrong}"

    # --- elsewhere --------------------------------------------------------------------------------------------------

    def test_pickling(self) -> None:
        """It can be sent to worker processes, and has the same examples there."""
        for name, part in self._parts():
            indices = self._indices(part)
            self._example(name, part, indices[0])  # from now on, a file may be open
            try:
                sent = pickle.loads(pickle.dumps(part))
            except Exception as error:
                raise AssertionError(f"{name} cannot be sent to a process: {describe_error(error)}") from error
            for index in indices:
                wrong = difference(self._example(name, sent, index), self._example(name, part, index))
                assert not wrong, f"example {index} of {name}, sent to a process: {wrong}"

    def test_preprocessing(self) -> None:
        """If the pair has a `preprocessing`, this can read files, and can be stored as JSON."""
        told = getattr(self.make(), "preprocessing", None)
        if told is None:
            return
        for method in ("read", "as_document"):
            assert callable(getattr(told, method, None)), f"preprocessing, {_what(told)}, has no method {method}"
        try:
            document = json.loads(json.dumps(told.as_document()))
            again = type(told).from_document(document) if hasattr(told, "from_document") else told
        except Exception as error:
            raise AssertionError(f"preprocessing cannot be stored as JSON: {describe_error(error)}") from error
        same = again.as_document() == told.as_document()
        assert same, (
            f"preprocessing, stored as JSON and loaded, is {again.as_document()} instead of {told.as_document()}"
        )

    # --- helpers ----------------------------------------------------------------------------------------------------

    def _parts(self) -> list[tuple[str, Any]]:
        """A new pair, with names for messages."""
        return list(zip(("train", "test"), self.make(), strict=True))

    def _indices(self, part: Any) -> list[int]:
        """Evenly spaced indices, including the first and the last."""
        return sorted({int(index) for index in np.linspace(0, len(part) - 1, self.examples)})

    def _places(self) -> Iterator[tuple[str, Any, int]]:
        return ((name, part, index) for name, part in self._parts() for index in self._indices(part))

    def _example(self, name: str, part: Any, index: int) -> Any:
        try:
            return part[index]
        except Exception as error:
            raise AssertionError(f"{name}[{index}], of {len(part)} examples, raises {describe_error(error)}") from error

    def _all_alike(self, shapes: bool) -> None:
        right = ""
        for name, part, index in self._places():
            got = structure(self._example(name, part, index), shapes)
            right = right or got
            also = "; if examples differ in shapes, declare ragged" if shapes else ""
            assert got == right, f"example {index} of {name} is {got}; example 0 of train is {right}{also}"


def _what(value: Any) -> str:
    kind = type(value)
    return f"a {kind.__qualname__}" if kind.__module__ == "builtins" else f"a {kind.__module__}.{kind.__qualname__}"
