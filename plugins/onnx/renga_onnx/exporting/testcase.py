"""`export_testcase`: a network with its inputs and outputs, as ONNX's own tests have them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from renga_core.errors import RengaError
from renga_onnx.exporting.network import export
from renga_onnx.onnx_helper import write_tensor_pb

__all__ = ["export_testcase"]


def export_testcase(
    model: Callable[..., Any], args: Any, out_dir: str | os.PathLike[str], output_grad: bool = False, **kwargs: Any
) -> Any:
    """Export a network to ``model.onnx``, and inputs and outputs to ``test_data_set_0/input_0.pb``, ``output_0.pb`` ….

    Args:
        model, args: As of `export`.
        out_dir: The folder; it is made.
        output_grad: Also store the gradients of parameters, ``gradient_0.pb`` …, which must be there: call
            ``loss.backward()`` before.
        kwargs: Further arguments of `export`.

    Returns:
        The model.

    Raises:
        RengaError: With `output_grad`, no parameter has a gradient.
    """
    folder = Path(out_dir)
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    made, inputs, outputs = export(model, args, folder / "model.onnx", return_named_inout=True, **kwargs)
    for kind, arrays in (("input", inputs), ("output", outputs)):
        for i, (name, array) in enumerate(arrays.items()):
            write_tensor_pb(data / f"{kind}_{i}.pb", name, array)
    if output_grad:
        namedparams = getattr(model, "namedparams", dict)
        gradients = {path.strip("/"): p.grad for path, p in sorted(namedparams()) if p.grad is not None}
        if not gradients:
            raise RengaError("output_grad: no parameter has a gradient.\nNext: call backward() of a loss before.")
        for i, (name, gradient) in enumerate(gradients.items()):
            write_tensor_pb(data / f"gradient_{i}.pb", name, gradient)
    return made
