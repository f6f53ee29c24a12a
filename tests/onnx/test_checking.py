"""`renga.onnx.check`: a model beside its network."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

onnx = pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga.onnx import NotTheSame, check, export  # noqa: E402

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
NAMES = {"input_names": ["x"], "output_names": ["y"]}


def test_the_same():
    network = renga.Sequential(L.Linear(3, 4, initialW=0.5), F.dropout, F.tanh)
    report = check(export(network, X, **NAMES), network, X)
    (difference,) = report.differences
    assert (difference.output, difference.elements) == ("y", 8)
    assert difference.absolute < 1e-6
    assert str(report).startswith("y: largest difference ")
    assert renga.config.train


def test_an_empty_output_says_so():
    model = export(lambda x: x * 2, X, **NAMES, input_shapes=("n", 3))
    report = check(model, lambda x: x * 2, X[:0])
    assert str(report) == "y: empty, nothing was compared"


def test_a_file_and_several_inputs(tmp_path):
    def network(a, b):
        return {"sum": a + b, "equal": F.cast(a, "int32")}

    path = tmp_path / "model.onnx"
    export(network, {"a": X, "b": X}, path)
    for inputs in ({"a": X, "b": 2 * X}, [X, X], (renga.Variable(X), X)):
        assert [each.output for each in check(path, network, inputs).differences] == ["sum", "equal"]


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            lambda x: x * 1.001,
            r"output 'y' differs by 0\.001 .* That is 0\.001 of its largest value; 0\.0001 is allowed",
        ),
        (lambda x: x[:1], r"output 'y' is float32 \(2, 3\) in onnxruntime, and float32 \(1, 3\) in the network"),
        (lambda x: F.cast(x, "float64"), "is float32 .* and float64"),
        (lambda x: x + np.where(X > 0, np.nan, 0).astype("f"), "'y' has NaN or infinity at other positions"),
        (lambda x: (x, x), "the network returns 2 outputs, and the model 1: y"),
    ],
)
def test_another_network(other, told):
    model = export(lambda x: x * 1, X, **NAMES)
    with pytest.raises(NotTheSame, match=told):
        check(model, other, X)


def test_infinity_at_the_same_places_is_the_same():
    x = np.array([np.inf, -np.inf, np.nan, 1], np.float32)
    model = export(lambda x: x * 2, X[0], **NAMES, input_shapes=("n",))
    assert check(model, lambda x: x * 2, x).differences[0].absolute == 0


def test_the_tolerance():
    model = export(lambda x: x * 1, X, **NAMES)
    assert check(model, lambda x: x * 1.001, X, tolerance=0.01).differences[0].relative == pytest.approx(1e-3, rel=0.01)
    with pytest.raises(NotTheSame):
        check(model, lambda x: x * 1.001, X, tolerance=1e-6)


def test_integers_are_equal():
    model = export(lambda x: F.cast(x * 1, "int64"), X, **NAMES)
    with pytest.raises(NotTheSame, match="differs by 1"):
        check(model, lambda x: F.cast(x * 1 + 1, "int64"), X, tolerance=10)


def test_what_cannot_be_run(tmp_path):
    model = export(lambda x: x * 1, X, **NAMES)
    with pytest.raises(RengaError, match="inputs given: 2; the model takes 1: x"):
        check(model, lambda x, y: x, [X, X])
    with pytest.raises(RengaError, match=r"onnxruntime [\d.]+ cannot run the model: .*missing\.onnx"):
        check(tmp_path / "missing.onnx", lambda x: x, X)
    with pytest.raises(RengaError, match=r"(?s)cannot run the model: .*Got: 5 Expected: 3"):
        check(model, lambda x: x, np.ones((2, 5), np.float32))
