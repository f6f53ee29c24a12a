"""Functions that cannot be exported, and why."""

from __future__ import annotations

__all__ = ["WITHOUT"]

_MATRICES = "ONNX has no operator to invert or factor a matrix, or to find its eigenvalues"

WITHOUT = {
    "renga_nn.functions.math.linear_algebra:Inv": _MATRICES,
    "renga_nn.functions.math.linear_algebra:Cholesky": _MATRICES,
    "renga_nn.functions.normalization.whitening:InverseSquareRoot": _MATRICES,
    "renga_nn.functions.normalization.whitening:Lyapunov": _MATRICES,
}
"""Reasons by ``module:Class`` of the function node."""
