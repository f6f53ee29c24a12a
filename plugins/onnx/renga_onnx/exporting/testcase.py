"""`export_testcase`: writes a network with inputs and outputs in the layout of ONNX's own tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from renga_core.backend import Array
from renga_core.errors import RengaError
from renga_onnx.exporting.network import export
from renga_onnx.exporting.storing import store
from renga_onnx.onnx_helper import write_tensor_pb

__all__ = ["export_testcase"]


def export_testcase(
    model: Callable[..., Any], args: Any, out_dir: str | os.PathLike[str], output_grad: bool = False, **kwargs: Any
) -> Any:
    """Export a network to ``model.onnx``, and inputs and outputs to ``test_data_set_0/input_0.pb``, ``output_0.pb`` ….

    Args:
        model, args: See `export`.
        out_dir: Folder to create. Arrays of an earlier test case in it are removed.
        output_grad: Also write the gradients of parameters, ``gradient_0.pb`` …. Call ``loss.backward()`` first.
        kwargs: Further arguments of `export`.

    Returns:
        The model.

    Raises:
        RengaError: With `output_grad`, no parameter has a gradient; nothing is written.
        OSError: The folder is full or not writable.
    """
    gradients = _gradients(model) if output_grad else {}
    save_text = kwargs.pop("save_text", False)
    made, inputs, outputs = export(model, args, return_named_inout=True, **kwargs)
    folder = Path(out_dir)
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    written = set()
    for kind, arrays in (("input", inputs), ("output", outputs), ("gradient", gradients)):
        for i, (name, array) in enumerate(arrays.items()):
            written.add(data / f"{kind}_{i}.pb")
            write_tensor_pb(data / f"{kind}_{i}.pb", name, array)
        for old in set(data.glob(f"{kind}_*.pb")) - written:
            old.unlink()
    store(made, folder / "model.onnx", save_text)
    return made


def _gradients(model: Callable[..., Any]) -> dict[str, Array]:
    """The gradients of the parameters, by path."""
    namedparams = getattr(model, "namedparams", dict)
    gradients = {path.strip("/"): p.grad for path, p in sorted(namedparams()) if p.grad is not None}
    if not gradients:
        raise RengaError("output_grad: no parameter has a gradient.\nNext: call backward() of a loss first.")
    return gradients
