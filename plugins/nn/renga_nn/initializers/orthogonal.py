"""Random matrices with orthonormal rows or columns."""

from __future__ import annotations

import math
from typing import Any, Literal

from renga_core.backend import Array, get_backend, get_device
from renga_nn.initializers.initializer import RandomInitializer

__all__ = ["Orthogonal"]


class Orthogonal(RandomInitializer):
    """Fill with a random matrix whose rows or columns, whichever are fewer, are orthogonal (Saxe et al. 2014).

    An array with more axes is treated as a matrix ``(shape[0], product of the others)``; an array without axes gets
    `scale` or its negative.

    Args:
        scale: Length of the rows or columns.
        dtype: See `RandomInitializer`.
        mode: The expected form of the matrix: ``"projection"`` (at most as many rows as columns), ``"embedding"`` (at
            least as many), ``"basis"`` (square) or ``"auto"`` (any).
        rng: See `RandomInitializer`.

    Raises:
        ValueError: There is no such mode.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=Orthogonal()).W.shape
    (2, 3)
    """

    def __init__(
        self,
        scale: float = 1.1,
        dtype: Any = None,
        mode: Literal["auto", "projection", "embedding", "basis"] = "auto",
        *,
        rng: Any = None,
    ) -> None:
        super().__init__(dtype, rng)
        if mode not in ("auto", "projection", "embedding", "basis"):
            raise ValueError(f"Orthogonal: mode must be 'auto', 'projection', 'embedding' or 'basis', not {mode!r}")
        self.scale = scale
        self.mode = mode

    def __call__(self, array: Array) -> None:
        """Fill `array` in place.

        Raises:
            ValueError: The shape does not fit the mode.
        """
        if array.ndim == 0:
            array[...] = self.scale * (2 * int(self.generator_for(array).integers(0, 2)) - 1)
            return
        rows, columns = array.shape[0], math.prod(array.shape[1:])
        fits = {"auto": True, "projection": rows <= columns, "embedding": rows >= columns, "basis": rows == columns}
        if not fits[self.mode]:
            raise ValueError(
                f"Orthogonal(mode={self.mode!r}) cannot fill a matrix of {rows} rows and {columns} columns"
            )
        xp = get_backend(array).xp
        if rows == 0 or columns == 0:
            return
        drawn = self.generator_for(array).normal(0.0, 1.0, (rows, columns))
        q, r = xp.linalg.qr(drawn if rows >= columns else drawn.T)
        # Of all decompositions use the one whose R has a positive diagonal: then Q is uniform (Mezzadri 2007).
        q = q * xp.sign(xp.diagonal(r))
        matrix = q if rows >= columns else q.T
        array[...] = get_device(array).send(matrix * self.scale).reshape(array.shape)
