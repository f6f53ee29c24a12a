"""`FileFormatSuite`: the kit of file formats. How to write one: docs/how-to/write-a-file-format.md."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Device, to_host
from renga_core.kinds import FILE_FORMAT
from renga_core.plugin.state import describe_error
from renga_core.serializers import FileDamaged, FileFormat, FileMismatched, FileRefused
from renga_core.serializers.formats import format_of
from renga_testing.suites.comparing import compare
from renga_testing.suites.suite import ProviderSuite
from renga_testing.suites.values import Values

__all__ = ["FileFormatSuite"]

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", *INTEGERS, "float16", "float32", "float64")
OTHER_DTYPES = ("complex64", "complex128", "datetime64[s]", ">f4")
SHAPES: dict[str, tuple[int, ...]] = {"0-d": (), "empty": (0,), "empty_3d": (3, 0, 2), "one": (1,), "4d": (2, 3, 4, 5)}
LAYOUTS: dict[str, Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]] = {
    "fortran": np.asfortranarray,
    "gaps": lambda array: np.repeat(array, 2, axis=0)[::2],
    "backwards": lambda array: array[::-1],
}
SCALARS: dict[str, Any] = {
    "whole": 2**40,
    "real": 0.1,
    "truth": True,
    "text": "naïve ½ 漢字",
    "no_text": "",
    "none": None,
    "list": [1, 2, 3],
    "float32": np.float32(0.5),
}
NAMES = ("l1/W", "a/b/c/d/e/f", "updater/model:main/conv1/W", "x" * 300, "with space", "Ünï.cøde", "_", "0")
FOREIGN = {
    "empty": b"",
    "text": b"weights of the first layer\n" * 40,
    "zeros": bytes(4096),
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(64),
}
BYTES = 8 << 20


class FileFormatSuite(ProviderSuite):
    """Tests of a file format.

    Attributes:
        places: Number of places in a file to damage.
        copies: Limit of memory for writing or reading an array, in multiples of its size.
    """

    kind = FILE_FORMAT
    extras: ClassVar[Mapping[str, str]] = {"by_name": "its suffix belongs to another format, so it is selected by name"}
    places: ClassVar[int] = 150
    copies: ClassVar[float] = 4.0

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for stored values, and for damage to files."""
        return {
            **super().parameters(),
            "dtype": DTYPES,
            "other_dtype": OTHER_DTYPES,
            "shape": SHAPES,
            "layout": LAYOUTS,
            "scalar": SCALARS,
            "foreign": FOREIGN,
        }

    @classmethod
    def capabilities_tested(cls) -> frozenset[str]:
        """Capabilities for `test_suffixes`."""
        return super().capabilities_tested() | {"by_name"}

    # --- names ------------------------------------------------------------------------------------------------------

    def test_suffixes(self) -> None:
        """Each of its suffixes selects it; or it declares that it is selected by name, and has no suffix."""
        suffixes = self.offer.provider.suffixes
        if "by_name" in self.declared:
            assert not suffixes, f"{self.label} declares by_name, but describes suffix {suffixes[0]}"
            return
        assert suffixes, f"{self.label} describes no suffixes: no file name selects it"
        for suffix in suffixes:
            found = type(format_of(f"model{suffix}"))
            assert found is type(self.make()), f"suffix {suffix} leads to {found.__module__}.{found.__qualname__}"

    def test_file_name(self, tmp_path: Path) -> None:
        """A file is written under exactly the given name, a text or a path."""
        for name in ("model", "model 1.ö", f"m.x{self._suffix}"):
            (tmp_path / "folder").mkdir(exist_ok=True)
            self.make().save(str(tmp_path / "folder" / name), Values({"a": 1}))
            self._must_load(tmp_path / "folder" / name, Values({"a": 0}))
            found = [path.name for path in (tmp_path / "folder").iterdir()]
            assert found == [name], f"saved as {name!r}, it is {', '.join(map(repr, found)) or 'nowhere'}"
            (tmp_path / "folder" / name).unlink()

    # --- values -----------------------------------------------------------------------------------------------------

    def test_dtypes(self, dtype: str, tmp_path: Path) -> None:
        """Arrays of each common dtype are restored bit for bit, including the limits of its range."""
        self._comes_back(_array(dtype), tmp_path)

    def test_other_dtypes(self, other_dtype: str, tmp_path: Path) -> None:
        """Arrays of other dtypes are restored, or raise a TypeError that names the value."""
        refused = ""
        try:
            self._comes_back(_array(other_dtype), tmp_path)
        except TypeError as error:
            refused = str(error)
        assert "value" in (refused or "value"), f"it refuses {other_dtype}, but does not name the value: {refused}"

    def test_shapes(self, shape: str, tmp_path: Path) -> None:
        """Arrays of each shape are restored, including empty and zero-dimensional ones."""
        self._comes_back(
            np.arange(np.prod(SHAPES[shape], dtype=int), dtype=np.float32).reshape(SHAPES[shape]), tmp_path
        )

    def test_layouts(self, layout: str, tmp_path: Path) -> None:
        """Arrays with gaps or in another memory order are restored."""
        self._comes_back(LAYOUTS[layout](np.arange(12.0, dtype=np.float32).reshape(4, 3)), tmp_path)

    def test_scalars(self, scalar: str, tmp_path: Path) -> None:
        """Numbers, texts, lists and None are restored with their types."""
        right = SCALARS[scalar]
        loaded = Values({"value": None if right is None else type(right)()})
        got = self._store(Values({"value": right}), loaded, tmp_path)["value"]
        assert (type(got), got) == (type(right), right), f"{right!r} comes back as {got!r}"

    def test_uninitialized_arrays(self, tmp_path: Path) -> None:
        """An object without an array gets the file's array."""
        loaded = self._store(Values({"W": _array("float32")}), Values({"W": None}), tmp_path)
        compare(loaded["W"], _array("float32"), "an array that did not exist before loading,", exact=True)

    def test_names(self, tmp_path: Path) -> None:
        """Values are identified by their whole paths, including long ones and non-ASCII letters."""
        saved = Values({name: np.full(2, number, np.float32) for number, name in enumerate(NAMES)})
        loaded = self._store(saved, saved.blank(), tmp_path)
        for number, name in enumerate(NAMES):
            compare(loaded[name], np.full(2, number, np.float32), f"the value of path {name[:40]!r},", exact=True)

    def test_devices(self, device: Device, tmp_path: Path) -> None:
        """Arrays of a device can be saved; loading fills them in place."""
        saved = Values({"value": device.send(_array("float32"))})
        array = device.send(np.zeros_like(_array("float32")))
        loaded = self._store(saved, Values({"value": array}), tmp_path)
        assert loaded["value"] is array, "an array is replaced instead of filled in place"
        compare(array, _array("float32"), f"an array on {device.name}", exact=True)

    def test_saving_changes_nothing(self, tmp_path: Path) -> None:
        """Saving does not change the object."""
        saved = _sample()
        self.make().save(tmp_path / f"file{self._suffix}", saved)
        saved.check(_sample(), "after it was saved")

    # --- files and objects with different values --------------------------------------------------------------

    def test_part_of_a_file(self, tmp_path: Path) -> None:
        """`path` loads one object from a file with several."""
        file = self._saved(tmp_path)
        loaded = Values({"W": np.zeros((2, 3), np.float32)})
        self._must_load(file, loaded, path="l1")
        compare(loaded["W"], _sample()["l1/W"], "l1/W, loaded with path='l1',", exact=True)

    def test_not_strict(self, tmp_path: Path) -> None:
        """Without `strict`, values that are not in the file do not change, and dtypes are converted."""
        file = self._saved(tmp_path)
        loaded = Values({"l1/W": np.zeros((2, 3), np.float64), "more": 7})
        self._must_load(file, loaded, strict=False)
        assert loaded["more"] == 7, f"a value that is not in the file becomes {loaded['more']!r}"
        compare(loaded["l1/W"], _sample()["l1/W"].astype(np.float64), "l1/W, converted,", exact=True)

    def test_ignored_names(self, tmp_path: Path) -> None:
        """Values whose paths are in `ignore_names` do not change."""
        file, loaded = self._saved(tmp_path), _sample().blank()
        self._must_load(file, loaded, ignore_names=["l1/W", lambda path: path == "epoch"])
        loaded.check(Values(_sample().values | {"l1/W": np.zeros((2, 3), np.float32), "epoch": 0}), "with ignore_names")

    def test_mismatches(self, tmp_path: Path) -> None:
        """Values that do not fit raise an error that names all of them, and nothing is loaded."""
        file = self._saved(tmp_path)
        changes: dict[str, Any] = {
            "l1/b": np.zeros((3, 1), np.float32),
            "bn/mean": np.zeros(200, np.float64),
            "note": 3,
            "absent": 1,
        }
        wrong, before = (Values(_sample().blank().values | changes) for _ in range(2))
        try:
            self._load(file, wrong)
        except FileMismatched as error:
            untold = [name for name in changes if name not in str(error)]
            assert not untold, f"its error does not mention {', '.join(untold)}"
        except Exception as error:
            raise AssertionError(f"FileMismatched was expected; it raises {describe_error(error)}") from error
        else:
            raise AssertionError("an object of another structure is loaded")
        wrong.check(before, "after a file was refused")

    # --- damage -----------------------------------------------------------------------------------------------------

    def test_truncated_files(self, tmp_path: Path) -> None:
        """A truncated file is refused, wherever it ends, unless all values are in it; nothing is loaded."""
        whole = self._saved(tmp_path).read_bytes()
        for end in self._spread(len(whole) - 1):
            told = self._try_damaged(tmp_path, whole[:end])
            assert told in ("refused", "right"), f"the first {end} of {len(whole)} bytes: {told}"

    def test_flipped_bits(self, tmp_path: Path) -> None:
        """A changed bit is detected anywhere in the file, unless no value depends on it; nothing is loaded."""
        whole = self._saved(tmp_path).read_bytes()
        for place in self._spread(len(whole) - 1):
            harmed = bytearray(whole)
            harmed[place] ^= 1 << place % 8
            told = self._try_damaged(tmp_path, bytes(harmed))
            assert told in ("refused", "right"), f"bit {place % 8} of byte {place} of {len(whole)}: {told}"

    def test_foreign_files(self, foreign: str, tmp_path: Path) -> None:
        """A file of another format is refused as damaged; a missing file gives Python's own error."""
        (tmp_path / f"file{self._suffix}").write_bytes(FOREIGN[foreign])
        for name, expected in (("file", FileDamaged), ("nowhere", FileNotFoundError)):
            loaded = _sample().blank()
            try:
                self._load(tmp_path / f"{name}{self._suffix}", loaded)
            except expected:
                pass
            except Exception as error:
                raise AssertionError(f"{expected.__name__} was expected; it raises {describe_error(error)}") from error
            else:
                raise AssertionError(f"{expected.__name__} was expected; it raises nothing")
            loaded.check(_sample().blank(), "after a file was refused")

    # --- writing ----------------------------------------------------------------------------------------------------

    def test_what_cannot_be_stored(self, tmp_path: Path) -> None:
        """A Python object raises a TypeError that names it: nothing is pickled. The old file stays."""
        file = self._saved(tmp_path)
        before = file.read_bytes()
        for value in (object(), {"a": 1}, np.array([object()])):
            try:
                self.make().save(file, Values({"first": 1, "culprit": value}))
            except TypeError as error:
                told = str(error)
            else:
                raise AssertionError(f"{type(value).__name__} is saved: this needs pickle, or loses the value")
            assert "culprit" in told, f"its error does not name the value: {told}"
        assert file.read_bytes() == before, "the old file is gone, although the new one was not written"
        assert [path.name for path in tmp_path.iterdir()] == [file.name], "a partial file is left"

    def test_writing_is_atomic(self, tmp_path: Path) -> None:
        """A new file replaces the old one atomically: a reader that has the old one open can still read it."""
        file = self._saved(tmp_path)
        with open(file, "rb") as opened:
            before = file.read_bytes()
            self.make().save(file, Values({"another": 1}))
            assert opened.read() == before, (
                "the old file is overwritten: if the process is killed while it writes, both files are lost"
            )
        assert [path.name for path in tmp_path.iterdir()] == [file.name], "other files are left"

    def test_memory(self, tmp_path: Path) -> None:
        """Writing and reading a large array need at most `copies` times its size in memory."""
        file, array = tmp_path / f"file{self._suffix}", np.arange(BYTES // 4, dtype=np.float32)
        loaded = Values({"value": np.zeros_like(array)})
        acts: dict[str, Callable[[], object]] = {
            "writing": lambda: self.make().save(file, Values({"value": array})),
            "reading": lambda: self._must_load(file, loaded),
        }
        for doing, act in acts.items():
            tracemalloc.start()
            try:
                act()
                times = tracemalloc.get_traced_memory()[1] / BYTES
            finally:
                tracemalloc.stop()
            assert times <= self.copies, f"{doing} an array needs more than {self.copies:g} times its size in memory"

    # --- how --------------------------------------------------------------------------------------------------------

    def check_target(self, target: Any) -> None:
        """Assert that it makes something that saves and loads."""
        super().check_target(target)
        for name in ("save", "load"):
            assert callable(getattr(self.make(), name, None)), (
                f"the object that {self.offer.provider.target} makes has no {name}"
            )

    @property
    def _suffix(self) -> str:
        suffixes = self.offer.provider.suffixes
        return suffixes[0] if suffixes else ""

    def _load(self, file: Path, obj: Values, **how: Any) -> None:
        made: FileFormat = self.make()
        made.load(file, obj, **how)

    def _must_load(self, file: Path, obj: Values, **how: Any) -> None:
        try:
            self._load(file, obj, **how)
        except Exception as error:
            told = " ".join(f"{type(error).__name__}: {error}".replace(os.fspath(file), file.name).split())
            raise AssertionError(f"loading its own file raises {told[:200]}") from error

    def _store(self, saved: Values, loaded: Values, folder: Path) -> Values:
        file = folder / f"file{self._suffix}"
        self.make().save(file, saved)
        self._must_load(file, loaded)
        return loaded

    def _comes_back(self, array: np.ndarray[Any, Any], folder: Path) -> None:
        saved = Values({"value": array})
        got = to_host(self._store(saved, saved.blank(), folder)["value"])
        native = array.dtype.newbyteorder("=")
        assert got.dtype.newbyteorder("=") == native, f"{array.dtype} comes back as {got.dtype}"
        compare(got.astype(native), array.astype(native), f"{array.dtype} of shape {array.shape}", exact=True)

    def _saved(self, folder: Path) -> Path:
        file = folder / f"file{self._suffix}"
        self.make().save(file, _sample())
        return file

    def _spread(self, last: int) -> list[int]:
        """Positions in a file: all positions near its ends, where the headers are, and some in between."""
        ends = [*range(min(32, last)), *range(max(last - 32, 0), last + 1)]
        return sorted({*ends, *(round(place) for place in np.linspace(0, last, self.places))})

    def _try_damaged(self, folder: Path, content: bytes) -> str:
        """Return the result of loading: ``refused``, ``right``, or a description of the error."""
        (folder / "damaged").write_bytes(content)
        loaded = _sample().blank()
        try:
            self._load(folder / "damaged", loaded)
        except FileRefused:
            return "refused" if loaded.equals(_sample().blank()) else "it is refused, but some values are loaded"
        except Exception as error:
            return f"FileRefused was expected; it raises {describe_error(error)}"
        return "right" if loaded.equals(_sample()) else "it is loaded, with other values"


def _array(dtype: str) -> np.ndarray[Any, Any]:
    """Values that include the limits of a dtype's range, NaN and infinity."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([True, False, True])
    if kind.kind in "iu":
        return np.array([0, 1, np.iinfo(kind).min, np.iinfo(kind).max], kind)
    if kind.kind == "M":
        return np.array([0, 1 << 30], "i8").astype(kind)
    special = [0.1, -0.0, np.inf, np.nan, np.finfo(kind).max, np.finfo(kind).tiny]
    return np.array(special, kind) if kind.kind == "f" else np.array([1 + 2j, complex(np.inf, -0.0)], kind)


def _sample() -> Values:
    """An object like a network: arrays by path, and a few other values."""
    return Values(
        {
            "l1/W": np.arange(6, dtype=np.float32).reshape(2, 3),
            "l1/b": np.array([0.5, -1.0, 2.0], np.float32),
            "bn/mean": np.linspace(-1, 1, 200, dtype=np.float32),
            "epoch": 12,
            "note": "trained",
            "nothing": None,
        }
    )
