"""A training step as a CUDA graph: one call queues all its kernels, instead of one Python call per kernel.

The capture fixes everything that Python does in a step (shapes, hyperparameters, the functions called). Only kernels
are repeated, on the same memory. So the step must not wait for the GPU (no ``float(loss)``). It must not upload arrays,
because the captured host memory is reused. Values that change between steps must be on the GPU: the batch, which is
copied into the captured arrays; random numbers, whose sequence continues; numbers of an update, such as Adam's step
size, computed from the update count; and a dynamic loss scale, which the GPU adapts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import cupy

from renga_backend_cupy.captured_updates import CapturedUpdates
from renga_backend_cupy.transfers import unpinned
from renga_core.backend import Array, get_backend
from renga_core.configuration import using_config
from renga_core.optimizer import GradientMethod
from renga_core.random import generator

__all__ = ["CapturedStep"]


class CapturedStep:
    """A step, captured when this is made, and replayed by each call.

    ::

        def train(x, t):
            loss = model(x, t)
            optimizer.target.cleargrads()
            loss.backward()
            optimizer.update()
            return loss.array

        step = CapturedStep(train, first_x, first_t, optimizer=optimizer)
        for x, t in batches:
            loss = step(x, t)

    To get everything ready (kernels compiled, plans made, memory allocated) the step is first run `warmup` times, with
    the given examples, and these runs count: parameters are updated.

    With a dynamic loss scale (``optimizer.loss_scaling()``), replays skip updates whose gradients are not finite, and
    the host does not wait: parameters, states and scales are those of the same steps without a capture, bit for bit.
    The host learns later which updates were skipped. Until then the `t` of update rules counts them, too; reading
    ``optimizer.loss_scale``, an ordinary update or saving the optimizer waits for it. Hooks with timing ``"pre"`` run
    before each update, also before one that is skipped, and may change nothing but gradients.

    Memory of captured arrays comes from a separate pool, and is kept as long as this object exists.

    Args:
        step: Takes arrays; returns an array, a tuple of arrays or None. Variables are taken apart.
        examples: Arguments for it: CuPy arrays, or host arrays, of the shapes and dtypes of all later ones.
        optimizer: The optimizer that it calls, if any: Adam, AdamW, RMSprop, NesterovAG or one of the three SGDs, whose
            kernels can take other numbers each time. With a dynamic loss scale, the step must pass
            ``optimizer.loss_scale`` to backward as it is, and each update must have gradients of its own.
        warmup: How many times to run it before the capture, at least 1.

    Raises:
        TypeError: The numbers of the optimizer's update cannot be brought to the GPU; or, with a dynamic loss scale, a
            skipped update would still change something: there is a hook with timing ``"post"``, or one that has arrays
            or draws random numbers.
        ValueError: `warmup` is less than 1.
        RuntimeError: The step waits for the GPU, or does something else that cannot be captured.
    """

    def __init__(
        self,
        step: Callable[..., Any],
        *examples: Array,
        optimizer: GradientMethod | None = None,
        warmup: int = 3,
    ) -> None:
        if warmup < 1:
            raise ValueError(f"warmup is {warmup}; the step has to be run once at least before it is captured")
        self._pool = cupy.cuda.MemoryPool()
        self._stream = cupy.cuda.Stream(non_blocking=True)
        self._generator = generator(get_backend("cupy"))
        with self._own_stream(), cupy.cuda.using_allocator(self._pool.malloc):
            self._inputs = tuple([cupy.array(x) for x in examples])
            for _ in range(warmup):
                step(*self._inputs)
            self._key, self._start = self._generator.key, self._generator.position
            self._updates = None if optimizer is None else CapturedUpdates(optimizer)
            with nullcontext() if self._updates is None else self._updates.capture():
                self._graph, self._result = self._capture(step)
            self._blocks = self._generator.position - self._start
            self._generator.position = self._start  # nothing has been drawn: it will be, in the first replay

    def __call__(self, *args: Array) -> Any:
        """Copy the arguments into the captured arrays, and replay.

        Returns:
            What the step returned; these arrays are overwritten by the next call.

        Raises:
            ValueError: An argument has another shape or dtype than its example, or there are too few or too many.
            RuntimeError: Since the capture, random numbers have been seeded, or the optimizer has got another loss
                scaling.
        """
        self._check(args)
        with self._own_stream():
            for target, source in zip(self._inputs, args, strict=True):
                target[...] = cupy.asarray(unpinned(source))
            if self._updates is not None:
                self._updates.before_replay()
            if self._blocks:
                position = self._generator.advance(self._blocks)
                self._generator.shift((position - self._start) % 2**64)
            self._graph.launch(self._stream)
            if self._blocks:
                self._generator.shift(0)
            if self._updates is not None:
                self._updates.after_replay()
        return self._result

    def _check(self, args: tuple[Array, ...]) -> None:
        wanted = [(x.shape, x.dtype) for x in self._inputs]
        given = [(tuple(x.shape), x.dtype) for x in args]
        if given != wanted:

            def described(rows: list[Any]) -> str:
                return ", ".join(f"{dtype} {shape}" for shape, dtype in rows)

            raise ValueError(f"the step was captured for {described(wanted)}, but called with {described(given)}")
        if self._blocks and (self._generator is not generator(get_backend("cupy")) or self._generator.key != self._key):
            raise RuntimeError("random numbers were seeded after the step was captured. Next: capture it again")

    def _capture(self, step: Callable[..., Any]) -> tuple[Any, Any]:
        """Record the kernels that the step queues. Checks that would wait for the GPU were made in the runs before."""
        self._stream.begin_capture()
        try:
            with using_config("type_check", False):
                result = step(*self._inputs)
        except BaseException:
            _abandon(self._stream)
            raise
        graph = self._stream.end_capture()
        return graph, _arrays(result)

    @contextmanager
    def _own_stream(self) -> Iterator[None]:
        """Run work on the stream of the capture, between the caller's earlier and later work."""
        caller = cupy.cuda.get_current_stream()
        self._stream.wait_event(caller.record())
        try:
            with self._stream:
                yield
        finally:
            caller.wait_event(self._stream.record())


def _abandon(stream: Any) -> None:
    """End a failed capture. CUDA may report the failure again; the first error has the reason."""
    try:
        stream.end_capture()
    except RuntimeError:
        return


def _arrays(result: Any) -> Any:
    """Return the arrays of Variables."""
    if isinstance(result, (tuple, list)):
        return tuple([_arrays(x) for x in result])
    return getattr(result, "array", result)
