"""Which tests of the whole suite are run once more, in a process of their own, on an array library."""

from __future__ import annotations

__all__ = ["about_the_library"]

_ABOUT_THE_GRAPH = (
    # Of these, NumPy tells as much: which inputs need gradients, what is kept alive, copied, refused, saved.
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
    # One dtype shows what is asked of the library; gradients are tested in float64 in any case.
    "float64",
    "float16",
)


def about_the_library(name: str) -> str:
    """An expression for ``pytest -k``: values, gradients, dtypes, empty and strided arrays of each function and link.

    Args:
        name: Of the backend, as it stands in the names of the tests.
    """
    return " and not ".join([name, *_ABOUT_THE_GRAPH])
