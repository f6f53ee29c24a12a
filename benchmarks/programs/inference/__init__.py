"""Inference: Renga's frozen models beside PyTorch and ONNX Runtime."""
