"""Inference: Renga's frozen models, PyTorch and ONNX Runtime."""
