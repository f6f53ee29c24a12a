"""The tests of the suite that run again on an array library, in a separate process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["about_the_library"]

_ABOUT_THE_GRAPH = (
    # NumPy tests these as well: required gradients, object lifetimes, copies, errors, saving.
    "test_gradient_",
    "test_fresh_",
    "test_no_reference_cycles",
    "test_inputs_unmodified",
    "test_bad_input",
    "test_copy",
    "test_shared_copy",
    "test_serialization",
    "test_deterministic",
    "test_cleargrads",
    "test_all_parameters_are_registered",
    # One dtype is enough to test the library; gradients are always tested in float64.
    "float64",
    "float16",
)


# What the functions that a link calls are tested for on the library, in the suite of each. On NumPy, links are tested
# for it, too.
_ABOUT_FUNCTIONS = ("test_double_gradient", "test_noncontiguous")


def about_the_library(name: str, paths: Iterable[Path]) -> str:
    """An expression for ``pytest -k``: values, gradients, dtypes, empty and strided arrays of each function and link.

    Args:
        name: Name of the backend in the names of the tests.
        paths: Folders and files of the tests.
    """
    only_links = all(path.name == "links" for path in paths)
    return " and not ".join([name, *_ABOUT_THE_GRAPH, *(_ABOUT_FUNCTIONS if only_links else ())])
