"""What is written is what is read."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga.run.toml import dumps, dumps_value

texts = st.text(st.characters(exclude_categories=["Cs"]))
leaves = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | texts
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=12)


@given(st.dictionaries(texts, values))
def test_documents_survive(document):
    assert tomllib.loads(dumps(document)) == document


@given(values)
def test_values_survive(value):
    assert tomllib.loads(f"x = {dumps_value(value)}")["x"] == value


def test_how_it_looks():
    document = {
        "run": {"seed": 0, "out": "result", "nothing": None},
        "model": {"use": "mlp", "units": (3, 4)},
        "extensions": [{"use": "log_report"}, {"use": "snapshot", "trigger": [1, "epoch"]}],
        "prefer": {"link": {"conv2d.v1": "acme"}},
    }
    assert dumps(document) == (
        '[run]\nseed = 0\nout = "result"\n\n[model]\nuse = "mlp"\nunits = [3, 4]\n\n'
        '[[extensions]]\nuse = "log_report"\n\n[[extensions]]\nuse = "snapshot"\ntrigger = [1, "epoch"]\n\n'
        '[prefer]\n\n[prefer.link]\n"conv2d.v1" = "acme"\n'
    )


def test_what_toml_cannot_say_is_refused():
    with pytest.raises(TypeError, match=r"^TOML has no type for \(1\+2j\) \(complex\)$"):
        dumps({"x": 1 + 2j})
