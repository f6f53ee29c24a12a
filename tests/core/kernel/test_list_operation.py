"""Operations on lists: each row by the best that supports it, in one call for each implementation."""

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_core.kernel import Implementation, ListOperation, operations
from renga_core.kernel.implementation import serves_all


@pytest.fixture
def made(monkeypatch):
    """Makes an operation, ``a += factor * b``, with kernels for rows of at least so many elements; notes its calls."""
    before = dict(operations)
    calls = []

    def make(*least):
        def named(name):
            def forward(ys, xs, factor):
                calls.append((name, [y.size for y in ys]))
                for y, x in zip(ys, xs, strict=True):
                    y += factor * x

            return forward

        operation = ListOperation("a_list_operation", named("reference"), lists=2)
        kernels = [
            Implementation(
                str(n), named(n), supports=serves_all if n == 0 else lambda y, x, factor, n=n: y.size >= n and y is x
            )
            for n in least
        ]
        monkeypatch.setattr(operation, "chain", lambda backend: (*kernels, operation.reference))
        return operation, calls

    yield make
    operations.clear()
    operations.update(before)


def rows(*sizes):
    return [np.ones(n) for n in sizes]


def test_all_by_the_reference(made):
    operation, calls = made()
    ys, xs = rows(1, 2, 3), rows(1, 2, 3)
    operation(get_backend("numpy"), ys, xs, 0.5)
    assert calls == [("reference", [1, 2, 3])]
    assert all((y == 1.5).all() for y in ys)


def test_all_by_a_kernel_that_supports_everything(made):
    operation, calls = made(0)
    operation(get_backend("numpy"), rows(1, 2), rows(1, 2), 0.5)
    assert calls == [(0, [1, 2])]


def test_each_row_by_the_best_that_supports_it(made):
    operation, calls = made(5, 3)
    arrays = rows(6, 1, 3, 7, 2, 4)
    operation(get_backend("numpy"), arrays, arrays, 1)
    assert sorted(calls, key=str) == [("reference", [1, 2]), (3, [3, 4]), (5, [6, 7])]
    assert all((x == 2).all() for x in arrays)


def test_lists_are_of_one_length(made):
    operation, _ = made(5)
    with pytest.raises(ValueError, match="zip"):
        operation(get_backend("numpy"), rows(1, 2), rows(1), 1)


def test_a_demanded_kernel_refuses_rows_that_it_does_not_support(made, monkeypatch):
    operation, _ = made(5)
    chain = operation.chain(get_backend("numpy"))
    monkeypatch.setattr(operation, "chain", lambda backend: chain[:1])
    with pytest.raises(RuntimeError, match="'5' is required"):
        operation(get_backend("numpy"), rows(1), rows(1), 1)


def test_the_chain_is_built_once(made, monkeypatch):
    operation, _ = made(5)
    chain, built = operation.chain, []
    monkeypatch.setattr(operation, "chain", lambda backend: built.append(backend) or chain(backend))
    for _ in range(3):
        operation(get_backend("numpy"), rows(1), rows(1), 1)
    assert len(built) == 1
