"""File formats that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import json
import os
import pickle

import numpy as np

from renga_core.serializers import FileDamaged, FileMismatched
from renga_serializers.atomic import atomic_write
from renga_serializers.npz import DictionarySerializer, NpzDeserializer, load_arrays, load_npz, save_npz


class Right:
    """npz under another suffix: the rest of this file derives from it."""

    def save(self, filename, obj):
        save_npz(filename, obj)

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        load_npz(filename, obj, path, strict, ignore_names)


class Changing(Right):
    """What is saved is `changed` first."""

    def changed(self, path, stored):
        return stored

    def save(self, filename, obj):
        serializer = DictionarySerializer()
        serializer.save(obj)
        arrays = {path: self.changed(path, stored) for path, stored in serializer.target.items()}
        save_npz(filename, Arrays(arrays))


class Arrays:
    """What a file holds, as an object."""

    def __init__(self, arrays):
        self.arrays = arrays

    def serialize(self, serializer):
        for path, stored in self.arrays.items():
            serializer(path, stored)


class Plain(Right):
    """A format of its own, without checksums: a line of JSON, and then the bytes of all arrays."""

    def save(self, filename, obj):
        serializer = DictionarySerializer()
        serializer.save(obj)
        arrays = serializer.target
        head = {path: [np.lib.format.dtype_to_descr(a.dtype), a.shape] for path, a in arrays.items()}
        with atomic_write(filename) as file:
            file.write(json.dumps(head).encode() + b"\n" + b"".join(a.tobytes() for a in arrays.values()))

    def read(self, file, count):
        content = file.read(count)
        if len(content) < count:
            raise ValueError("it ends too early")
        return content

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        try:
            with open(filename, "rb") as file:
                arrays = {}
                for name, (descr, shape) in json.loads(file.readline()).items():
                    descr = [tuple(field) for field in descr] if isinstance(descr, list) else descr
                    dtype, size = np.dtype(descr), int(np.prod(shape))
                    content = self.read(file, dtype.itemsize * size)
                    arrays[name] = np.frombuffer(content, dtype).reshape(shape)
        except OSError:
            raise
        except Exception as error:
            raise FileDamaged(os.fspath(filename), str(error), "a plain file") from error
        load_arrays(arrays, os.fspath(filename), obj, path, strict, ignore_names)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Nameless(Right):
    """it describes no suffix"""

    breaks = "test_suffixes"
    suffixes = ()


class Both(Right):
    """it is chosen by its name only, and has a suffix"""

    breaks = "test_suffixes"
    declares = {"by_name"}


class NotItsOwn(Right):
    """its suffix is that of npz"""

    breaks = "test_suffixes"
    suffixes = (".npz",)


class Helpful(Right):
    """it puts its suffix behind the name"""

    breaks = "test_file_name"

    def save(self, filename, obj):
        save_npz(f"{os.fspath(filename)}.npz", obj)


class Single(Changing):
    """everything is stored in single precision"""

    breaks = "test_dtypes[float64]"

    def changed(self, path, stored):
        return stored.astype(np.float32) if stored.dtype == np.float64 else stored


class RealPart(Changing):
    """of complex numbers it stores the real part"""

    breaks = "test_other_dtypes[complex64]"

    def changed(self, path, stored):
        return stored.real.astype(stored.dtype) if stored.dtype.kind == "c" else stored


class Wordless(Right):
    """its refusal does not say which value it cannot store"""

    breaks = "test_other_dtypes[datetime64[s]]"

    def save(self, filename, obj):
        serializer = DictionarySerializer()
        serializer.save(obj)
        if any(stored.dtype.kind == "M" for stored in serializer.target.values()):
            raise TypeError("no dates")
        save_npz(filename, obj)


class AtLeastOne(Changing):
    """an array without axes gets one"""

    breaks = "test_shapes[0-d]"

    def changed(self, path, stored):
        return np.atleast_1d(stored) if stored.dtype == np.float32 else stored


class NeverEmpty(Changing):
    """an empty array is stored as a zero"""

    breaks = "test_shapes[empty]"

    def changed(self, path, stored):
        return np.zeros(1, stored.dtype) if stored.dtype == np.float32 and not stored.size else stored


class AsInMemory(Changing):
    """elements are stored in the order of memory"""

    breaks = "test_layouts[fortran]"

    def changed(self, path, stored):
        return stored.ravel("K").reshape(stored.shape)


class Latin(Changing):
    """of texts it keeps what is in Latin 1"""

    breaks = "test_scalars[text]"

    def changed(self, path, stored):
        if stored.dtype.kind != "U":
            return stored
        return np.asarray(str(stored).encode("latin-1", "ignore").decode("latin-1"))


class ZeroForNone(Changing):
    """None is stored as 0"""

    breaks = "test_scalars[none]"

    def changed(self, path, stored):
        return np.asarray(0) if stored.dtype.names else stored


class Initialized(Right):
    """it loads only arrays that are there already"""

    breaks = "test_uninitialized_arrays"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        class Loader(NpzDeserializer):
            def __getitem__(self, key):
                return Loader(self.npz, f"{self.path}{key}/")

            def __call__(self, key, value):
                return None if value is None else super().__call__(key, value)

        with np.load(filename) as arrays:
            Loader(arrays).load(obj)


class Short(Changing):
    """names are cut after 64 letters"""

    breaks = "test_names"

    def save(self, filename, obj):
        serializer = DictionarySerializer()
        serializer.save(obj)
        save_npz(filename, Arrays({path[:64]: stored for path, stored in serializer.target.items()}))


class Replacing(Right):
    """arrays are replaced by new ones"""

    breaks = "test_devices"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        load_npz(filename, obj, path, strict, ignore_names)
        obj.values = {key: value.copy() if hasattr(value, "shape") else value for key, value in obj.values.items()}


class Rounding(Right):
    """it rounds what it saves, in the object itself"""

    breaks = "test_saving_changes_nothing"

    def save(self, filename, obj):
        save_npz(filename, obj)
        for value in obj.values.values():
            if isinstance(value, np.ndarray) and value.dtype == np.float32:
                np.round(value, 1, out=value)


class Whole(Right):
    """it knows no part of a file"""

    breaks = "test_part_of_a_file"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        load_npz(filename, obj, "", strict, ignore_names)


class Strict(Right):
    """it is always strict"""

    breaks = "test_not_strict"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        load_npz(filename, obj, path, True, ignore_names)


class Thorough(Right):
    """it loads what is to be ignored"""

    breaks = "test_ignored_names"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        load_npz(filename, obj, path, strict)


class Halfway(Right):
    """it loads value by value until one does not fit"""

    breaks = "test_mismatches"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        with np.load(filename) as arrays:
            try:
                NpzDeserializer(arrays).load(obj)
            except (KeyError, ValueError) as error:
                raise FileMismatched(os.fspath(filename), ["l1/b", "bn/mean", "note", "absent"]) from error


class FirstOnly(Right):
    """it tells one difference of several"""

    breaks = "test_mismatches"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        try:
            load_npz(filename, obj, path, strict, ignore_names)
        except FileMismatched as error:
            raise FileMismatched(error.file, error.differences[:1]) from None


class Padded(Plain):
    """what is missing at the end of a file is zero"""

    breaks = "test_truncated_files"

    def read(self, file, count):
        return file.read(count).ljust(count, b"\0")


class Unchecked(Plain):
    """it has no checksums"""

    breaks = "test_flipped_bits"


class Trusting(Right):
    """of a foreign file it says something of its own"""

    breaks = "test_foreign_files[text]"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        try:
            load_npz(filename, obj, path, strict, ignore_names)
        except FileDamaged:
            raise EOFError("no directory at the end") from None


class Quiet(Right):
    """where there is no file, it loads nothing"""

    breaks = "test_foreign_files[empty]"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        if os.path.exists(filename):
            load_npz(filename, obj, path, strict, ignore_names)


class Pickling(Right):
    """it pickles what it has no type for"""

    breaks = "test_what_cannot_be_stored"

    def save(self, filename, obj):
        try:
            save_npz(filename, obj)
        except TypeError:
            with atomic_write(filename) as file:
                pickle.dump(list(obj.values), file)


class Hasty(Right):
    """it opens the file before it knows whether it can store everything"""

    breaks = "test_what_cannot_be_stored"

    def save(self, filename, obj):
        with open(filename, "wb") as file:
            save_npz(file, obj)


class InPlace(Right):
    """it writes over the old file"""

    breaks = "test_writing_is_atomic"

    def save(self, filename, obj):
        serializer = DictionarySerializer()
        serializer.save(obj)
        with open(filename, "wb") as file:
            save_npz(file, obj)


class Hoarder(Right):
    """it reads a file into memory several times"""

    breaks = "test_memory"

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        copies = [np.load(filename) for _ in range(5)]
        held = [{name: file[name] for name in file.files} for file in copies]
        load_npz(filename, obj, path, strict, ignore_names)
        for file in copies:
            file.close()
        del held
