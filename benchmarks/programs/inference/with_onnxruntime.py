"""Inference with ONNX Runtime, with models that Renga has exported."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

from benchmarks.programs.inference import data

__all__ = ["PROGRAMS", "to_numpy"]

_EXPORT = """
import sys
import renga.onnx
from benchmarks.programs.inference import data, with_renga
from renga import using_config

with using_config("train", False):
    renga.onnx.export(with_renga.network(sys.argv[1]), data.batch_of(sys.argv[1]), filename=sys.argv[2])
"""


def to_numpy(result: list[np.ndarray]) -> np.ndarray:
    return result[0]


def program(name: str):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        # In a separate process, whose memory does not count.
        subprocess.run([sys.executable, "-c", _EXPORT, name, str(path)], check=True)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    ((argument,), x) = session.get_inputs(), data.batch_of(name)
    return lambda: session.run(None, {argument.name: x})


PROGRAMS = {"": {f"inference/{name}": lambda name=name: program(name) for name in data.BATCHES}}
