"""`SpectralNormalization` as in Chainer: the name ``gamma`` (in files too), and the time of each step.

The vector and gamma exist once the weight has a shape. The power iteration also runs in test mode.
"""

from __future__ import annotations

from typing import Any

from renga_chainer.modules.chainer.link_hooks import calculate_max_singular_value, update_approximate_vectors
from renga_core.configuration import config
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_nn.initializers import Normal, generate_array
from renga_nn.link_hooks import SpectralNormalization
from renga_nn.link_hooks.weight import output_axis

__all__ = ["ADDITIONS"]

_init = SpectralNormalization.__init__


def _make(self: SpectralNormalization, *args: Any, **options: Any) -> None:
    """Like Renga's, but the parameter is always called ``gamma``."""
    _init(self, *args, **options)
    self.gamma_name = "gamma"


def _added(self: SpectralNormalization, link: Link | None) -> None:
    """Prepare, if the weight has a shape."""
    W = self.weight_of(link)
    assert link is not None
    self.axis = output_axis(link)  # type: ignore[attr-defined]  # Chainer's
    if W.array is not None:
        self.prepare(link, W)


def _prepare(self: SpectralNormalization, link: Link, W: Variable) -> None:
    """Draw the vector ``(outputs,)``, and initialize gamma with the largest singular value.

    Raises:
        ValueError: The weight has no outputs.
    """
    if hasattr(link, self.vector_name):
        return
    outputs = W.shape[output_axis(link)]
    if not outputs:
        raise ValueError(f"Expect {self.weight_name}.shape[{output_axis(link)}] > 0")
    link.add_persistent(self.vector_name, generate_array(Normal(1.0), (outputs,), dtype=W.dtype, device=W.device))
    if self.use_gamma:
        singular_values = W.xp.linalg.svd(_rows(self, W).array)[1]
        with link.init_scope():
            setattr(link, self.gamma_name, Parameter(singular_values[:1].reshape(())))


def _deleted(self: SpectralNormalization, link: Link | None) -> None:
    """Remove the vector and gamma."""
    delattr(link, self.vector_name)
    if self.use_gamma:
        delattr(link, self.gamma_name)


def _normalize_weight(self: SpectralNormalization, link: Link) -> Variable:
    """Return the weight of `link` divided by its largest singular value, and set `v`, the right singular vector."""
    W = getattr(link, self.weight_name)
    matrix, u = _rows(self, W), getattr(link, self.vector_name)
    if config.in_recomputing:
        v = self.v  # type: ignore[attr-defined]  # set below
    else:
        u, v = update_approximate_vectors(matrix, u, self.n_power_iteration, self.eps)
        self.v = v  # type: ignore[attr-defined]  # Chainer's
        if config.train:
            getattr(link, self.vector_name)[...] = u
    sigma = calculate_max_singular_value(matrix, u, v)
    if self.factor is not None:
        sigma = sigma / self.factor
    weight = getattr(link, self.gamma_name) * W if self.use_gamma else W
    return weight / sigma  # type: ignore[no-any-return]


def _computed(self: SpectralNormalization, link: Link, W: Variable) -> Variable:
    """Return the result of `normalize_weight`."""
    normalized: Variable = self.normalize_weight(link)  # type: ignore[attr-defined]  # added below
    return normalized


def _rows(self: SpectralNormalization, W: Any) -> Variable:
    """Return the weight as a matrix with one row per output."""
    axis = self.axis  # type: ignore[attr-defined]  # set in `added`
    if axis:
        W = W.transpose(axis, *[a for a in range(W.ndim) if a != axis])
    matrix: Variable = W if W.ndim == 2 else W.reshape(W.shape[0], -1)
    return matrix


ADDITIONS: list[tuple[Any, str, Any]] = [
    (SpectralNormalization, "__init__", _make),
    (SpectralNormalization, "added", _added),
    (SpectralNormalization, "prepare", _prepare),
    (SpectralNormalization, "deleted", _deleted),
    (SpectralNormalization, "computed", _computed),
    (SpectralNormalization, "normalize_weight", _normalize_weight),
    (SpectralNormalization, "reshape_W", _rows),
]
