"""Each function and link that this distribution registers, exported to ONNX and computed for other values.

Inputs are those of the conformance kits: from the descriptions, or guessed.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import onnxruntime as ort
from onnx.reference import ReferenceEvaluator

import renga
from renga_core.kinds import FUNCTION, LINK
from renga_core.plugin import registry
from renga_onnx import export
from renga_testing.suites.function import FunctionSuite
from renga_testing.suites.link import LinkSuite

OPSETS = tuple(range(13, 22))
COLUMNS = (*map(str, OPSETS), "float64", "float16", "batch")
"""The columns of the table: float32 with each opset; the newest opset with other dtypes, and with a named first
axis."""

NEWEST = max(OPSETS)

MATRICES = "ONNX has no operator to invert or factor a matrix, or to find its eigenvalues"

NOT_EXPORTED = {
    "function batch_inv": MATRICES,
    "function cholesky": MATRICES,
    "function decorrelated_batch_normalization": f"{MATRICES}; fixed_decorrelated_batch_normalization is exported",
    "function inv": MATRICES,
    "function roi_max_align_2d": "with sampling_ratio=None the number of samples depends on the regions; with a number "
    "it is exported",
    "link binary_hierarchical_softmax": "the number of visited nodes of the tree depends on the labels; the path of "
    "this call is exported, with a warning",
}
"""Functions that cannot be exported with the kit's arguments, and the reasons."""

WITH_A_WARNING = {"link binary_hierarchical_softmax"}
"""Functions among these that are exported nevertheless."""

RANDOM = {"function gaussian", "function gumbel_softmax", "link black_out"}
"""The exported graph draws random numbers too: only the shapes and dtypes of outputs are compared."""

WITHOUT_INPUTS = {
    "link caffe_function": "reads a file of weights",
    "link googlenet": "reads a file of weights",
    "link parameter": "takes no input",
    "link resnet101_layers": "reads a file of weights",
    "link resnet152_layers": "reads a file of weights",
    "link resnet50_layers": "reads a file of weights",
    "link vgg16_layers": "reads a file of weights",
    "link vgg19_layers": "reads a file of weights",
}
"""Links that need more than a kit can pass; their layers are tested as separate functions and links."""

TOLERANCES = {"float32": 1e-5, "float64": 1e-6, "float16": 1e-2}


def names() -> list[str]:
    """Names of all registered functions and links: ``function relu``, ``link linear``."""
    kinds = ((FUNCTION, "function"), (LINK, "link"))
    return [
        f"{word} {name}"
        for kind, word in kinds
        for name in sorted(registry(kind).names())
        if registry(kind).get(name).plugin.shipped
    ]


class Sample:
    """A function, or a link, that can be called.

    Args:
        name: A name from `names`.
        dtype: Dtype of its floating-point inputs and parameters.
    """

    def __init__(self, name: str, dtype: str) -> None:
        word, self.name = name.split()
        base = FunctionSuite if word == "function" else LinkSuite
        self.dtype = np.dtype(dtype)
        self.suite = type("Suite", (base,), {"provider": self.name})()
        self.suite._outputs_of = lambda ys: ys
        self.link = None
        if word == "link":
            with renga.using_config("dtype", self.dtype), renga.using_config("train", False), renga.no_backprop_mode():
                self.link = self.suite.make_link()
                self.suite.call(self.link, *map(renga.Variable, self.inputs(0)))

    def inputs(self, seed: int, batches: int = 1) -> list[np.ndarray]:
        """Return inputs; with `batches`, arrays with the batch axis get `batches` times as many rows."""
        drawn = [self.suite.make_inputs(np.random.default_rng(seed + i), self.dtype) for i in range(batches)]
        rows = rows_of(drawn[0])
        return [np.concatenate(xs) if x in rows else xs[0] for x, xs in enumerate(zip(*drawn, strict=True))]

    def __call__(self, *variables: Any) -> list[Any]:
        """Return its outputs in a flat list."""
        outputs = self.suite.call(*([] if self.link is None else [self.link]), *variables)
        return flat(outputs)


def rows_of(xs: list[np.ndarray]) -> set[int]:
    """Which inputs have the batch axis: those with as many rows as the first."""
    return {i for i, x in enumerate(xs) if x.ndim and xs[0].ndim and len(x) == len(xs[0])}


def flat(outputs: Any) -> list[Any]:
    """Variables and arrays in a flat list."""
    if hasattr(outputs, "dtype"):
        return [outputs]
    return [y for each in (outputs.values() if isinstance(outputs, dict) else outputs) for y in flat(each)]


@cache
def measured(name: str, column: str) -> str:
    """The entry of a column of the table: ``yes``, ``reference``, ``unchecked``, ``-`` or ``no``.

    ``reference``: onnxruntime has no kernel for it; onnx's reference implementation computes it. ``unchecked``: neither
    does. ``-``: the function itself does not take such inputs.
    """
    outcome, _ = compared(name, column)
    return outcome


def compared(name: str, column: str) -> tuple[str, str]:
    """Return the result of `measured`, and the error."""
    dtype = column if column.startswith("float") else "float32"
    opset = int(column) if column.isdigit() else NEWEST
    batches = 2 if column == "batch" else 1
    with warnings.catch_warnings(), renga.using_config("train", False):
        warnings.simplefilter("ignore")
        try:
            sample = Sample(name, dtype)
            new = sample.inputs(7, batches)
            with renga.no_backprop_mode():
                expected = [getattr(y, "array", y) for y in sample(*map(renga.Variable, new))]
        except Exception as error:
            return "-", str(error)
        first = sample.inputs(0)
        rows = rows_of(first)
        shapes = [("batch", *x.shape[1:]) if i in rows else x.shape for i, x in enumerate(first)]
        shapes = shapes if column == "batch" else None
        try:
            model, named, _ = export(sample, first, opset_version=opset, return_named_inout=True, input_shapes=shapes)
        except Exception as error:
            return "no", f"{type(error).__name__}: {error}"
    return run(model, dict(zip(named, new, strict=True)), expected, TOLERANCES[dtype], f"{name}" in RANDOM)


def run(model: Any, inputs: Any, expected: list[Any], tolerance: float, random: bool) -> tuple[str, str]:
    """Compute a model, and compare."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    outcome = "yes"
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        if "NOT_IMPLEMENTED" not in str(error) and "Type Error" not in str(error) and "tensor(" not in str(error):
            return "no", str(error)
        outcome, session = "reference", None
    try:
        session = session or ReferenceEvaluator(model)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = session.run(None, inputs)
    except Exception as error:
        return ("no" if outcome == "yes" else "unchecked"), f"{outcome}: {error}"
    for y, z in zip(found, expected, strict=True):
        if (y.dtype, y.shape) != (z.dtype, z.shape):
            return "no", f"{outcome}: {y.dtype}{y.shape} instead of {z.dtype}{z.shape}"
        if not random and not np.allclose(
            y.astype("f8"), np.asarray(z, "f8"), rtol=tolerance, atol=tolerance, equal_nan=True
        ):
            return "no", f"{outcome}: differs by {np.nanmax(abs(y.astype('f8') - np.asarray(z, 'f8')))}"
    return outcome, ""
