"""Inception layers, with windows of several sizes in parallel."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import relu
from renga_nn.functions.array import concat
from renga_nn.functions.checks import require_choice
from renga_nn.functions.pooling import average_pooling_2d, max_pooling_2d
from renga_nn.links.batch_normalization import BatchNormalization, normalize_and_activate
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["Inception", "InceptionBN"]


class Inception(Chain):
    """1 × 1, 3 × 3 and 5 × 5 convolutions and a pooling in parallel (Szegedy et al. 2015, fig. 2b).

    Args:
        in_channels: Number of input channels; None: from the first input.
        out1: Filters of the 1 × 1 convolution.
        proj3, out3: Filters of the 1 × 1 convolution before the 3 × 3 convolution, and of the latter.
        proj5, out5: Filters of the 1 × 1 convolution before the 5 × 5 convolution, and of the latter.
        proj_pool: Filters of the 1 × 1 convolution after the pooling.
        conv_init, bias_init: Initializers of filters and biases.

    >>> import numpy as np
    >>> layer = Inception(3, out1=4, proj3=2, out3=4, proj5=2, out5=4, proj_pool=4)
    >>> layer(np.ones((1, 3, 8, 8), np.float32)).shape
    (1, 16, 8, 8)
    """

    def __init__(
        self,
        in_channels: int | None,
        out1: int,
        proj3: int,
        out3: int,
        proj5: int,
        out5: int,
        proj_pool: int,
        conv_init: Any = None,
        bias_init: Any = None,
    ) -> None:
        super().__init__()
        initial = {"initialW": conv_init, "initial_bias": bias_init}
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, out1, 1, **initial)
            self.proj3 = Convolution2D(in_channels, proj3, 1, **initial)
            self.conv3 = Convolution2D(proj3, out3, 3, pad=1, **initial)
            self.proj5 = Convolution2D(in_channels, proj5, 1, **initial)
            self.conv5 = Convolution2D(proj5, out5, 5, pad=2, **initial)
            self.projp = Convolution2D(in_channels, proj_pool, 1, **initial)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out1 + out3 + out5 + proj_pool, H, W)`` for images ``(N, in_channels, H, W)``."""
        paths = (
            self.conv1(x),
            self.conv3(relu(self.proj3(x))),
            self.conv5(relu(self.proj5(x))),
            self.projp(max_pooling_2d(x, 3, stride=1, pad=1)),
        )
        return relu(concat(paths, axis=1))


class InceptionBN(Chain):
    """`Inception` with batch normalization, and two 3 × 3 convolutions for the 5 × 5 one (Ioffe & Szegedy 2015, 4.2.2).

    Args:
        in_channels: Number of input channels; None: from the first input.
        out1: Filters of the 1 × 1 convolution; 0: omit it.
        proj3, out3: Filters of the 1 × 1 convolution before the single 3 × 3 convolution, and of the latter.
        proj33, out33: Filters of the 1 × 1 convolution before the double 3 × 3 convolutions, and of each of these.
        pooltype: ``"max"`` or ``"avg"``.
        proj_pool: Filters of the 1 × 1 convolution after the pooling; None: omit it.
        stride: Stride of the last window of each branch.
        conv_init: Initializer of filters.
        dtype: Dtype of the normalization; see `BatchNormalization`.

    Raises:
        ValueError: `pooltype` is invalid; or there is a 1 × 1 convolution, but `stride` is not 1, or `proj_pool` is
            None.

    >>> import numpy as np
    >>> layer = InceptionBN(3, out1=4, proj3=2, out3=4, proj33=2, out33=4, pooltype="avg", proj_pool=4)
    >>> layer(np.ones((2, 3, 8, 8), np.float32)).shape
    (2, 16, 8, 8)
    """

    def __init__(
        self,
        in_channels: int | None,
        out1: int,
        proj3: int,
        out3: int,
        proj33: int,
        out33: int,
        pooltype: str,
        proj_pool: int | None = None,
        stride: int = 1,
        conv_init: Any = None,
        dtype: Any = None,
    ) -> None:
        require_choice("InceptionBN", "pooltype", pooltype, ("max", "avg"))
        if out1 > 0 and (stride != 1 or proj_pool is None):
            raise ValueError(
                f"InceptionBN: out1={out1} needs stride=1 and a proj_pool, not stride={stride}, proj_pool={proj_pool}"
            )
        super().__init__()
        self.out1 = out1
        self.proj_pool = proj_pool
        self.stride = stride
        self.pooltype = pooltype
        rest: dict[str, Any] = {"nobias": True, "initialW": conv_init}
        with self.init_scope():
            self.proj3 = Convolution2D(in_channels, proj3, 1, **rest)
            self.conv3 = Convolution2D(proj3, out3, 3, stride, 1, **rest)
            self.proj33 = Convolution2D(in_channels, proj33, 1, **rest)
            self.conv33a = Convolution2D(proj33, out33, 3, 1, 1, **rest)
            self.conv33b = Convolution2D(out33, out33, 3, stride, 1, **rest)
            self.proj3n = BatchNormalization(proj3, dtype=dtype)
            self.conv3n = BatchNormalization(out3, dtype=dtype)
            self.proj33n = BatchNormalization(proj33, dtype=dtype)
            self.conv33an = BatchNormalization(out33, dtype=dtype)
            self.conv33bn = BatchNormalization(out33, dtype=dtype)
            if out1 > 0:
                self.conv1 = Convolution2D(in_channels, out1, 1, **rest)
                self.conv1n = BatchNormalization(out1, dtype=dtype)
            if proj_pool is not None:
                self.poolp = Convolution2D(in_channels, proj_pool, 1, **rest)
                self.poolpn = BatchNormalization(proj_pool, dtype=dtype)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out1 + out3 + out33 + (proj_pool or in_channels), H', W')`` for ``(N, in_channels, H, W)``."""
        paths = [normalize_and_activate(self.conv1n, self.conv1(x))] if self.out1 > 0 else []
        h = normalize_and_activate(self.proj3n, self.proj3(x))
        paths.append(normalize_and_activate(self.conv3n, self.conv3(h)))
        h = normalize_and_activate(self.proj33n, self.proj33(x))
        h = normalize_and_activate(self.conv33an, self.conv33a(h))
        paths.append(normalize_and_activate(self.conv33bn, self.conv33b(h)))
        pooled: Any = (
            max_pooling_2d(x, 3, self.stride, 1, cover_all=False)
            if self.pooltype == "max"
            else average_pooling_2d(x, 3, self.stride, 1)
        )
        if self.proj_pool is not None:
            pooled = normalize_and_activate(self.poolpn, self.poolp(pooled))
        return concat([*paths, pooled], axis=1)
