"""Dropout."""

from __future__ import annotations

import numpy as np

from renga_nn.functions.noise.dropout import Dropout
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS"]


def _dropout(call: Call) -> None:
    ratio, training = call.constant(call.function.ratio), call.constant(True, np.bool_)
    call.op("Dropout", [call.inputs[0], ratio, training], call.outputs)


CONVERTERS = {Dropout: _dropout}
