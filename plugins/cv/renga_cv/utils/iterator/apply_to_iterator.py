"""Apply a function to all batches of an iterator, on one or several processes."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from renga_core.errors import RengaError
from renga_cv.utils.iterator.unzip import unzip

__all__ = ["apply_to_iterator"]

Lists = tuple[list[Any], ...]


def apply_to_iterator(
    func: Callable[..., Any],
    iterator: Iterable[Any] | None,
    n_input: int = 1,
    hook: Callable[[Any, Any, Any], object] | None = None,
    comm: Any = None,
) -> tuple[tuple[Iterator[Any], ...], tuple[Iterator[Any], ...], tuple[Iterator[Any], ...]]:
    """Apply a function to all examples of an iterator. Results are computed when they are read.

    An example is one input, or a tuple of inputs and other values. The first batch is processed at once, later ones
    when an iterator needs them. Results are kept until all iterators have read them, so delete iterators that you do
    not read::

        imgs, predictions, truth = apply_to_iterator(model.predict, iterator)
        del imgs  # or all images of the data set stay in memory
        result = eval_detection_voc(*predictions, *truth)

    Args:
        func: Takes a list for each input, and returns a list, or a tuple of lists, with an element for each example,
            like the ``predict`` method of a model.
        iterator: Yields batches: lists of examples.
        n_input: Number of leading elements of an example that are inputs.
        hook: Called after each batch with three tuples of lists: inputs, outputs, other values.
        comm: A communicator; all its ranks must call this function. Rank 0 reads the iterator, each rank applies the
            function to its share of each batch, and rank 0 gets the results. The other ranks return when rank 0 has
            read everything, or has deleted its iterators.

    Returns:
        Three tuples of iterators over single examples: the inputs, the outputs, and the other values. With `comm`,
        ranks other than 0 get three empty tuples. Without batches, all are empty.

    Raises:
        ValueError: The length of a list from `func` is not the batch size, or examples differ in length; an example
            has fewer than `n_input` elements.
        RengaError: On rank 0: the function failed on another rank, which raises the original error.

    >>> inputs, (doubled,), (names,) = apply_to_iterator(lambda xs: [2 * x for x in xs], [[(1, "a"), (2, "b")]])
    >>> list(doubled), list(names)
    ([2, 4], ['a', 'b'])
    """
    apply: Callable[[Lists], Lists | None] = _Applied(func)
    if comm is not None:
        if comm.rank != 0:
            _serve(apply, comm)
            return (), (), ()
        apply = _Shared(apply, comm)
    kinds = unzip(_batches(apply, iterator, n_input, hook))
    if not kinds:
        return (), (), ()
    inputs, outputs, rest = [tuple(map(chain.from_iterable, unzip(batches))) for batches in kinds]
    return inputs, outputs, rest


def _batches(
    apply: Any, iterator: Iterable[Any] | None, n_input: int, hook: Callable[[Any, Any, Any], object] | None
) -> Iterator[tuple[Lists, Lists, Lists]]:
    """Yield inputs, outputs and other values of each batch."""
    try:
        if iterator is None:
            raise ValueError("apply_to_iterator: iterator is None; only ranks other than 0 need none")
        for batch in iterator:
            if not batch:
                continue
            columns = _columns(batch, n_input)
            inputs, rest = columns[:n_input], columns[n_input:]
            outputs = apply(inputs)
            if hook is not None:
                hook(inputs, outputs, rest)
            yield inputs, outputs, rest
            del batch, columns, inputs, rest, outputs  # before the next batch is fetched
    finally:
        if isinstance(apply, _Shared):
            apply.end()


def _columns(batch: list[Any], n_input: int) -> Lists:
    """Return one list for each element of the examples."""
    examples = [example if isinstance(example, tuple) else (example,) for example in batch]
    length = len(examples[0])
    if length < n_input or any(len(example) != length for example in examples):
        lengths = sorted({len(example) for example in examples})
        raise ValueError(
            f"apply_to_iterator: examples have {lengths} elements; all must have the same number, at least {n_input}"
        )
    return tuple(list(column) for column in zip(*examples, strict=True))


class _Applied:
    """Return the function's result as a tuple of lists."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self._func = func

    def __call__(self, inputs: Lists) -> Lists:
        returned = self._func(*inputs)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        for output in outputs:
            if len(output) != len(inputs[0]):
                raise ValueError(
                    f"apply_to_iterator: the function returned {len(output)} values for {len(inputs[0])} examples"
                )
        return tuple(list(output) for output in outputs)


class _Shared:
    """Apply the function on all ranks, each to its share of the batch. Called on rank 0."""

    def __init__(self, apply: Callable[[Lists], Lists | None], comm: Any) -> None:
        self._apply, self._comm = apply, comm

    def __call__(self, inputs: Lists) -> Lists:
        shares = [slice(*self._comm.share(len(inputs[0]), rank)) for rank in range(self._comm.size)]
        for rank in range(1, self._comm.size):
            self._comm.send_obj(tuple(column[shares[rank]] for column in inputs), rank)
        outcome, error = _attempt(self._apply, tuple(column[shares[0]] for column in inputs))
        outcomes = self._comm.gather_obj(outcome)
        if error is not None:
            raise error
        for rank, found in enumerate(outcomes):
            if isinstance(found, str):
                raise RengaError(f"apply_to_iterator: the function failed on rank {rank}:\n{found}")
        outputs = [found for found in outcomes if found is not None]
        return tuple([value for part in column for value in part] for column in zip(*outputs, strict=True))

    def end(self) -> None:
        """Tell the other ranks that there are no more batches."""
        for rank in range(1, self._comm.size):
            self._comm.send_obj(None, rank)


def _serve(apply: Callable[[Lists], Lists | None], comm: Any) -> None:
    """Apply the function to shares until there are no more. Called on the other ranks."""
    failure = None
    while (inputs := comm.recv_obj(0)) is not None:
        outcome, error = _attempt(apply, inputs)
        failure = failure or error
        comm.gather_obj(outcome)
    if failure is not None:
        raise failure


def _attempt(apply: Callable[[Lists], Lists | None], inputs: Lists) -> tuple[Lists | str | None, Exception | None]:
    """Return the result of a share (None if empty, the error's text if the function fails) and the error."""
    try:
        return (apply(inputs) if inputs[0] else None), None
    except Exception as error:  # of any kind: the other ranks must not wait forever
        return "".join(traceback.format_exception(error)), error
