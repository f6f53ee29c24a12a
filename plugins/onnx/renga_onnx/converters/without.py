"""Functions that cannot be exported, and why."""

from __future__ import annotations

__all__ = ["WITHOUT"]

_MATRICES = "ONNX has no operator that inverts or factors a matrix, or finds its eigenvalues"

WITHOUT = {
    "renga_nn.functions.math.linear_algebra:Inv": _MATRICES,
    "renga_nn.functions.math.linear_algebra:Cholesky": _MATRICES,
    "renga_nn.functions.normalization.whitening:InverseSquareRoot": _MATRICES,
    "renga_nn.functions.normalization.whitening:Lyapunov": _MATRICES,
}
"""By ``module:Class`` of the function's node."""
