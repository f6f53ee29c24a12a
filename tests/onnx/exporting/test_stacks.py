"""As many arrays as a named axis has elements: sequences of a batch, and steps of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import renga.functions as F
import renga.links as L
from renga_core.errors import RengaError

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga_onnx import export  # noqa: E402  # after the skip

FEATURES = 3
RNN = L.NStepBiLSTM(1, FEATURES, 2, 0.0)


def last_steps(x: Any) -> Any:
    return F.transpose_sequence(list(F.separate(x)))[-1]


def second_step(x: Any) -> Any:
    return F.transpose_sequence(list(F.separate(x)))[1]


def read(x: Any) -> Any:
    hy, _, ys = RNN(None, None, list(F.separate(x)))
    return hy, F.concat(ys, axis=1), F.concat(ys, axis=0), F.stack(ys, axis=1)


CASES: dict[str, Callable[..., Any]] = {
    "separate and stack": lambda x: F.stack(F.separate(x, axis=1), axis=0),
    "separate and concat": lambda x: F.concat(F.separate(x, axis=1), axis=1),
    "steps of sequences": lambda x: F.stack(F.transpose_sequence(list(F.separate(x)))),
    "last step": last_steps,
    "second step": second_step,
    "several uses": lambda x: last_steps(x) * F.separate(x)[0][0] + second_step(x),
    "recurrent network": read,
}

AXES = [("batch", "length", FEATURES), ("batch", 3, FEATURES), (2, "length", FEATURES)]


def values(batch: int, length: int) -> Any:
    return np.random.default_rng(batch).standard_normal((batch, length, FEATURES)).astype(np.float32)


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("case", CASES)
def test_any_size_of_the_named_axes(case: str, axes: tuple[str | int, ...], batch: int) -> None:
    function = CASES[case]
    if axes[0] == 2:
        axes = (batch, *axes[1:])
    model = export(function, values(batch, 3), input_shapes=axes)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for size in ((batch, 3), (4, 3), (batch, 5), (1, 2), (5, 4)):
        if all(isinstance(axis, str) or axis == n for axis, n in zip(axes, size, strict=False)):
            x = values(*size)
            expected = function(x)
            found = session.run(None, {"Input_0": x})
            for y, z in zip(found, expected if isinstance(expected, tuple) else [expected], strict=True):
                np.testing.assert_allclose(y, z.array, rtol=1e-5, atol=1e-6)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "some of a stack": (
        lambda x: F.stack(F.separate(x)[1:]),
        "has 1 inputs .* in one run, 3 and 1 in another",
    ),
    "from the middle": (
        lambda x: (xs := F.separate(x))[len(xs) // 2],
        "number 1 of 2 in one run, number 2 of 4 in another",
    ),
    "as many outputs": (lambda x: F.separate(x), "returns 2 arrays in one run and 4 in another"),
    "a function of all": (lambda x: sum(F.separate(x)), "computes differently for other sizes"),
    "other order": (lambda x: F.stack(F.separate(x)[::-1]), "Stack .* has 2 inputs"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_is_refused(case: str) -> None:
    function, message = REFUSED[case]
    with pytest.raises(RengaError, match=message):
        export(function, values(2, 3), input_shapes=("batch", 3, FEATURES))


def test_sequences_of_several_lengths_in_any_order_of_a_named_axis_are_refused() -> None:
    def network(x: Any) -> Any:
        xs = list(F.separate(x))
        return F.stack([y[-1] for y in L.NStepGRU(1, FEATURES, 2, 0.0)(None, [xs[0], xs[1][:2]])[1]])

    with pytest.raises(RengaError, match="way that depends on a named axis"):
        export(network, values(2, 3), input_shapes=(2, "length", FEATURES))
