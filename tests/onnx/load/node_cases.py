"""ONNX's own test cases of operators, computed by Renga.

Each case is a network of one operator, or (``_expanded``) of the operators that it is composed of, with inputs and
expected outputs. Most are of the newest opset: those that onnx's checker accepts as opset 21 are run as that. Those
from before opset 7 are run as 7 if their operators have not changed in between.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests

from renga_core.backend import is_floating
from renga_core.configuration import using_config
from renga_onnx.load.model import OnnxModel
from renga_onnx.load.reading import OPSETS, graph_of

NOT_NUMBERS = "text, or images in files"
SMALL_TYPES = "types of fewer than eight bits, or float8"

EXCLUDED = {
    r"^test_(string|strnorm|regex|image_decoder|labelencoder)": NOT_NUMBERS,
    r"(equal|concat|identity|identity_sequence|unique)_string": NOT_NUMBERS,
    r"^test_tfidfvectorizer": "text features",
    r"^test_cast(like)?_.*(FLOAT8|INT4|INT2|FLOAT4|STRING)": SMALL_TYPES,
    r"^test_(de)?quantizelinear_(e[45]m|u?int[24]|float4)": SMALL_TYPES,
    r"^test_(bernoulli|training_dropout(_default)?(_mask)?$)": "random numbers",
}
"""Cases that are not run, by regular expression, with the reason."""

LOOSER = {r"_bf16": (2e-2, 1e-2), r"_fp16": (1e-2, 1e-3), r"^test_dft": (1e-3, 1e-6)}
"""Cases whose result is rounded more than their tolerances allow: relative and absolute ones that they get."""


@cache
def cases() -> dict[str, Any]:
    """The cases by name. Making them takes some seconds, most of a run's."""
    state = np.random.get_state()  # which making them seeds
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return {case.name: case for case in load_model_tests(kind="node")}
    finally:
        np.random.set_state(state)


def excluded(name: str) -> str:
    """Why a case is not run; "" if it is."""
    return next((why for pattern, why in EXCLUDED.items() if re.search(pattern, name)), "")


def operator(case: Any) -> str:
    """The operator that a case is about, as its name has it: those of expanded cases are others."""
    return str(case.model.graph.name.removeprefix("test_"))


def model_of(case: Any) -> Any:
    """The case's model, of opset 7 to 21; None if it is not valid as that."""
    if any(node.domain not in ("", "ai.onnx") for node in case.model.graph.node):
        return None
    made = onnx.ModelProto()
    made.CopyFrom(case.model)
    (entry,) = [entry for entry in made.opset_import if entry.domain in ("", "ai.onnx")]
    if entry.version < OPSETS[0]:
        for node in made.graph.node:
            if onnx.defs.get_schema(node.op_type, OPSETS[0]).since_version > entry.version:
                return None
    entry.version = min(max(entry.version, OPSETS[0]), OPSETS[-1])
    made.ir_version = min(made.ir_version, 10)
    try:
        onnx.checker.check_model(made, full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return None
    return made


def check(case: Any, model: Any) -> None:
    """Compare what comes out with what should. Raises AssertionError if it differs."""
    rtol, atol = next((limits for p, limits in LOOSER.items() if re.search(p, case.name)), (case.rtol, case.atol))
    loaded = OnnxModel(graph_of(model, case.name, Path("/nowhere")), case.name)
    for inputs, expected in case.data_sets:
        with using_config("train", True), np.errstate(all="ignore"):
            outputs = loaded(*[_array(x) for x in inputs])
        found = outputs if isinstance(outputs, tuple) else (outputs,)
        assert len(found) == len(expected)
        for y, t in zip(found, expected, strict=True):
            same(y, _array(t), rtol, atol)


def _array(x: Any) -> Any:
    if isinstance(x, list):
        return [_array(element) for element in x]
    return onnx.numpy_helper.to_array(x) if isinstance(x, onnx.TensorProto) else x


def same(y: Any, t: Any, rtol: float, atol: float) -> None:
    if isinstance(t, list):
        assert len(y) == len(t)
        for a, b in zip(y, t, strict=True):
            same(a, b, rtol, atol)
    elif t is None:
        assert y is None
    else:
        t = np.asarray(t)
        assert y.dtype == t.dtype
        assert y.shape == t.shape
        exact = np.complex128 if t.dtype.kind == "c" else np.float64 if is_floating(t.dtype) else t.dtype
        np.testing.assert_allclose(y.array.astype(exact), t.astype(exact), rtol=rtol, atol=atol)
