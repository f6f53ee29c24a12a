"""Whole networks that are exported to ONNX and loaded again.

- `model`: description of a network. `vision`, `detection`, `language`, `generative`: the networks.
- `comparing`: how far results are apart, of the network, of onnxruntime, and of the network that was loaded.
"""

from __future__ import annotations

from onnx_zoo import detection, generative, language, vision
from onnx_zoo.model import Input, Model

__all__ = ["MODELS", "Input", "Model"]

MODELS: dict[str, Model] = {**vision.MODELS, **detection.MODELS, **language.MODELS, **generative.MODELS}
"""The networks, by name."""
