"""An array backend that is right: the others of this folder derive from it.

`breaks` names the test of the kit that must notice.
"""

import re

import numpy as np

from renga_core.backend import Backend


class Namespace:
    """NumPy, or one of its generators, with results of another type; some names replaced."""

    def __init__(self, source, own, replaced=None):
        self.source, self.own, self.replaced = source, own, replaced or {}

    def __getattr__(self, name):
        found = self.replaced.get(name) or getattr(self.source, name)
        if isinstance(found, type) or not callable(found):
            return Namespace(found, self.own) if name == "linalg" else found
        return lambda *args, **kwargs: self.own(found(*args, **kwargs))


class Right(Backend):
    """NumPy under another name and type: the rest of this file derives from it."""

    replaced = {}
    methods = {}

    def __init_subclass__(cls):
        cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

        def wrap(self, array, context=None, return_scalar=False):
            return array if isinstance(array, cls.Array) else np.asarray(array).view(cls.Array)

        cls.Array = type(f"{cls.__name__}Array", (np.ndarray,), {"__array_wrap__": wrap, **cls.methods})
        cls.array_types = (cls.Array,)
        cls.xp = Namespace(np, cls.own, cls.replaced)

    @classmethod
    def own(cls, value):
        if isinstance(value, tuple):
            return tuple(map(cls.own, value))
        return value.view(cls.Array) if isinstance(value, np.ndarray) else value

    def asarray(self, value, index=0):
        return self.own(np.asarray(value))

    def to_host(self, array):
        return np.asarray(array)

    def from_dlpack(self, array):
        return self.own(np.from_dlpack(np.asarray(array)))

    def make_generator(self, seed):
        return Namespace(np.random.Generator(np.random.PCG64(seed)), self.own)

    def generator_state(self, generator):
        return dict(generator.source.bit_generator.state)

    def set_generator_state(self, generator, state):
        generator.source.bit_generator.state = state

    def scatter_add(self, target, index, values):
        np.add.at(target, index, values)

    def sliding_windows(self, x, window, stride, dilation):
        axes = tuple(range(x.ndim - len(window), x.ndim))
        reach = tuple(d * (k - 1) + 1 for k, d in zip(window, dilation, strict=True))
        views = np.lib.stride_tricks.sliding_window_view(np.asarray(x), reach, axes)
        return self.own(views[(..., *(slice(None, None, s) for s in (*stride, *dilation)))])


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    declares = {"dlpack_zero_copy", "float16", "numpy_methods", "numpy_names", "views"}
    breaks = ""
