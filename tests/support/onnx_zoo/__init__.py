"""Whole networks that are exported to ONNX and loaded again.

- `model`: description of a network. `vision`, `detection`, `language`, `generative`: the networks.
- `comparing`: differences between the results of the network, of onnxruntime, and of the loaded network.
"""

from __future__ import annotations

from onnx_zoo import detection, generative, language, vision
from onnx_zoo.model import Input, Model

__all__ = ["MODELS", "Input", "Model"]

MODELS: dict[str, Model] = {**vision.MODELS, **detection.MODELS, **language.MODELS, **generative.MODELS}
"""The networks, by name."""
