"""Kernels that are each wrong in one way: `breaks` names the test of the kit that must notice.

They are of operation ``max_pooling`` if they name no other one; `supports` of a class is its predicate.
"""

import numpy as np

from renga_core.kernel import operations


class Right:
    """The reference: the rest of this file derives from it."""

    op = "max_pooling"

    @staticmethod
    def supports(x, window):
        return True

    @staticmethod
    def forward(x, window):
        return operations["max_pooling"].reference.forward(x, window)

    @staticmethod
    def backward(x, y, gy, window):
        return operations["max_pooling"].reference.backward(x, y, gy, window)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class NoForward:
    """it has no forward"""

    op = "max_pooling"
    breaks = "test_target"

    @staticmethod
    def supports(x, window):
        return False


class OddStrides(Right):
    """it says that it supports all windows, and is right for 2 x 2 only"""

    breaks = "test_forward"

    @staticmethod
    def forward(x, window):
        y = Right.forward(x, window)
        return y if window.ksize == (2, 2) else y + y.dtype.type(1)


class LastForFirst(Right):
    """of equal elements, each gets the gradient"""

    breaks = "test_backward"

    @staticmethod
    def backward(x, y, gy, window):
        return Right.backward(x, y, gy, window) + np.equal(x, x.max()).astype(x.dtype)


class NoBackward(Right):
    """it has no backward, though the operation has"""

    breaks = "test_backward"
    backward = None


class Overwrites(Right):
    """it works in its input"""

    breaks = "test_inputs_are_unchanged"

    @staticmethod
    def forward(x, window):
        y = Right.forward(x, window)
        x *= 0.5
        return y


class PassesOverNaN(Right):
    """where there is NaN, it takes the largest of the numbers"""

    breaks = "test_what_is_not_finite_shows"

    @staticmethod
    def forward(x, window):
        return Right.forward(np.where(np.isnan(x), x.dtype.type(-9), x), window)


class OneBuffer(Right):
    """its results share a buffer"""

    breaks = "test_result_is_its_own"
    buffers = {}

    @classmethod
    def forward(cls, x, window):
        y = Right.forward(x, window)
        buffer = cls.buffers.setdefault((y.shape, y.dtype), np.empty_like(y))
        buffer[...] = y
        return buffer


class RaisingPredicate(Right):
    """supports raises for whole numbers"""

    breaks = "test_supports_never_raises"

    @staticmethod
    def supports(x, window):
        if x.dtype.kind != "f":
            raise ValueError(f"no number of bits is known of {x.dtype}")
        return bool(x.dtype.itemsize > 2)


class NoPredicate(Right):
    """supports answers with a number"""

    breaks = "test_supports_never_raises"

    @staticmethod
    def supports(x, window):
        return x.ndim


class Modest(Right):
    """supports is never true"""

    breaks = "test_supports_something"

    @staticmethod
    def supports(x, window):
        return False


class Boastful(Right):
    """it declares float16, and does not support it"""

    breaks = "test_declared_support"
    declares = {"float16", "float32", "float64"}

    @staticmethod
    def supports(x, window):
        return x.dtype != np.float16


class Silent(Right):
    """it declares float32 only, and supports other dtypes"""

    breaks = "test_undeclared_support"
    declares = {"float32"}


class DenseRows(Right):
    """it reads the last axis as if its elements lay side by side"""

    breaks = "test_forward"

    @staticmethod
    def forward(x, window):
        if x.size and x.strides[-1] != x.itemsize:
            x = np.lib.stride_tricks.as_strided(x, x.shape, (*x.strides[:-1], x.itemsize))
        return Right.forward(x, window)


class OverwritesGradients(Right):
    """its backward works in the gradient that it is given"""

    breaks = "test_inputs_are_unchanged"

    @staticmethod
    def backward(x, y, gy, window):
        result = Right.backward(x, y, gy, window)
        gy *= 2
        return result


class OneBufferBackward(Right):
    """its gradients share a buffer"""

    breaks = "test_result_is_its_own"
    buffers = {}

    @classmethod
    def backward(cls, x, y, gy, window):
        gx = Right.backward(x, y, gy, window)
        buffer = cls.buffers.setdefault((gx.shape, gx.dtype), np.empty_like(gx))
        buffer[...] = gx
        return buffer


class RemembersOneCall(Right):
    """its backward takes what the last forward has kept, whoever called that"""

    breaks = "test_result_is_its_own"
    kept = None

    @classmethod
    def forward(cls, x, window):
        cls.kept = x.copy()
        return Right.forward(x, window)

    @classmethod
    def backward(cls, x, y, gy, window):
        return Right.backward(cls.kept if cls.kept.shape == x.shape else x, y, gy, window)


class NoSingles(Right):
    """a batch of one loses its axis of examples"""

    breaks = "test_forward"

    @staticmethod
    def forward(x, window):
        y = Right.forward(x, window)
        return y[0] if len(y) == 1 else y


class NothingRaises(Right):
    """a batch of no examples raises"""

    breaks = "test_forward"

    @staticmethod
    def forward(x, window):
        if not len(x):
            raise ZeroDivisionError("no examples to share among threads")
        return Right.forward(x, window)


class FirstRowOnly:
    """it takes lists, and computes for the first of each"""

    op = "sgd_update"
    breaks = "test_many_rows"

    @staticmethod
    def supports(param, grad, rate):
        return True

    @staticmethod
    def forward(params, grads, rate):
        operations["sgd_update"].reference.forward(params[:1], grads[:1], rate)
