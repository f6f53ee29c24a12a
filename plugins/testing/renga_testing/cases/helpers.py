"""Utilities for tests."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from renga_core.kinds import FILE_FORMAT
from renga_core.plugin import registry
from renga_core.serializers import load, save

__all__ = ["assert_warns", "patch", "run_module", "save_and_load", "save_and_load_hdf5", "save_and_load_npz"]


@contextmanager
def assert_warns(expected: type[Warning]) -> Iterator[None]:
    """Check that the ``with`` block emits a warning of a category. Warnings are not shown.

    Raises:
        AssertionError: There was no such warning.
    """
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield
    if not any(isinstance(w.message, expected) for w in given):
        raise AssertionError(f"no {expected.__name__} was given, but {[str(w.message) for w in given] or 'nothing'}")


def patch(target: str, *args: Any, **kwargs: Any) -> Any:
    """`unittest.mock.patch` that calls the original function, unless `wraps` or a replacement is given.

    >>> with patch("os.path.basename") as called:
    ...     import os.path
    ...     print(os.path.basename("a/b"), called.call_count)
    b 1
    """
    if not args and not {"wraps", "new", "new_callable", "spec", "spec_set", "autospec"} & set(kwargs):
        import pkgutil

        kwargs["wraps"] = pkgutil.resolve_name(target)
    return mock.patch(target, *args, **kwargs)


def run_module(name: str, file: str) -> None:
    """Run the tests of a file with pytest if it is the main program: ``run_module(__name__, __file__)``."""
    if name == "__main__":
        import pytest

        raise SystemExit(pytest.main([file, "-vv", "-x"]))


def save_and_load(
    src: Any, dst: Any, filename: str, saver: Callable[[str, Any], object], loader: Callable[[str, Any], object]
) -> None:
    """Save one object and load it into another, through a temporary file.

    Args:
        src, dst: The objects.
        filename: Name of the file.
        saver, loader: Called with the file's path and the object.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / filename)
        saver(path, src)
        loader(path, dst)


def save_and_load_npz(src: Any, dst: Any) -> None:
    """`save_and_load` with npz."""
    save_and_load(src, dst, "tmp.npz", save, load)


def save_and_load_hdf5(src: Any, dst: Any) -> None:
    """`save_and_load` with HDF5, which needs ``pip install 'renga[hdf5]'``."""
    hdf5 = registry(FILE_FORMAT).load("hdf5")()
    save_and_load(src, dst, "tmp.h5", hdf5.save, hdf5.load)
