"""``chainer.backends._cpu``: arrays on the CPU."""

from renga_chainer.modules.chainer.backends.cuda import to_cpu
from renga_core.backend.chainer_names import CpuDevice

__all__ = ["CpuDevice"]

_to_cpu = _array_to_cpu = to_cpu
