"""Random colour shifts along the principal components of colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_cv.utils.checks import require_image

__all__ = ["pca_lighting"]

Host = np.ndarray[Any, Any]

# The principal components of the colours (RGB, from 0 to 1) of ImageNet, with widely used values.
_EIGEN_VALUE = np.array([0.2175, 0.0188, 0.0045])
_EIGEN_VECTOR = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]],
)


def pca_lighting(img: Host, sigma: float, eigen_value: Any = None, eigen_vector: Any = None) -> Host:
    """Add one random colour to all pixels (Krizhevsky et al. 2012, 4.1).

    The colour is ``eigen_vector @ (eigen_value * alpha)``, where each of `alpha` is drawn from a normal distribution
    with mean 0 and standard deviation `sigma`, by ``numpy.random``.

    Args:
        img: Image ``(3, H, W)``, RGB, of a floating dtype.
        sigma: The paper uses 25.5 for images from 0 to 255. At 0 or less, the image is returned unchanged.
        eigen_value: Variances along the principal components of colours, ``(3,)``. None: ImageNet's values.
        eigen_vector: The principal components as columns, ``(3, 3)``. None: ImageNet's values.

    Returns:
        Image ``(3, H, W)`` of the same dtype.

    Raises:
        InvalidType: `img` does not have three channels, or is not floating.

    >>> import numpy as np
    >>> pca_lighting(np.zeros((3, 40, 60), np.float32), sigma=25.5).shape
    (3, 40, 60)
    """
    require_image("pca_lighting", img)
    if len(img) != 3 or img.dtype.kind != "f":
        raise InvalidType("pca_lighting", "img", "an image (3, H, W) of a floating dtype", describe_array(img))
    if sigma <= 0:
        return img
    values = _EIGEN_VALUE if eigen_value is None else np.asarray(eigen_value)
    vectors = _EIGEN_VECTOR if eigen_vector is None else np.asarray(eigen_vector)
    color = vectors @ (values * np.random.normal(0, sigma, 3))
    lit: Host = img + color.astype(img.dtype)[:, None, None]
    return lit
