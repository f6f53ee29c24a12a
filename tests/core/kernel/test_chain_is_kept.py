"""The chain of an operation is built once, however it is asked for."""

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_core.kernel import ListOperation, Operation, operations

X = np.ones(2, np.float32)


def call_list(operation):
    operation(get_backend(X), [X], 1.0)


def select(operation):
    operation.select(get_backend(X), X)


def sole(operation):
    operation.sole(get_backend(X))


@pytest.mark.parametrize("ask", [call_list, select, sole])
@pytest.mark.parametrize("supported", [True, False], ids=["serves all", "depends on the arguments"])
def test_the_chain_is_built_once(ask, supported, monkeypatch):
    made = ListOperation("kept_chain", lambda xs, n: None, lists=1) if ask is call_list else None
    operation = made or Operation("kept_chain", lambda x: x)
    built = []

    def chain(backend):
        built.append(backend)
        if supported:
            return (operation.reference,)
        return (type(operation.reference)("other", operation.reference.forward, None, lambda *args: True),)

    monkeypatch.setattr(operation, "chain", chain)
    try:
        for _ in range(3):
            ask(operation)
    finally:
        del operations[operation.name]
    assert len(built) == 1
