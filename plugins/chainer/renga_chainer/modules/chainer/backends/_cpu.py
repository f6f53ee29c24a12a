"""``chainer.backends._cpu``: arrays on the CPU."""

from renga_chainer.backend import CpuDevice
from renga_chainer.modules.chainer.backends.cuda import to_cpu

__all__ = ["CpuDevice"]

_to_cpu = _array_to_cpu = to_cpu
