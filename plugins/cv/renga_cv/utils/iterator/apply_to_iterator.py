"""A function applied to all batches of an iterator, by one process or by several."""

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

    An example is a tuple of inputs and of other values, or one input. A batch is fetched, and the function applied to
    it, when one of the iterators needs it; the first one at once. What other iterators have not read yet is kept for
    them, so delete those that are not going to be read::

        imgs, predictions, truth = apply_to_iterator(model.predict, iterator)
        del imgs  # or all images of the data set stay in memory
        result = eval_detection_voc(*predictions, *truth)

    Args:
        func: Takes a list for each input, and returns a list, or a tuple of lists, of an element for each example. So
            does ``predict`` of a model.
        iterator: Batches: lists of examples.
        n_input: How many of the first elements of an example are inputs.
        hook: Is called after each batch with lists of inputs, of outputs, and of the rest: three tuples.
        comm: A communicator, of which all ranks call this function. Rank 0 reads the iterator, each rank applies the
            function to its share of each batch, and rank 0 gets what comes out. The other ranks return when it has read
            everything, or has let go of its iterators.

    Returns:
        Three tuples of iterators over single examples: the inputs; what the function returned; the other values. With
        `comm`, three empty tuples on all ranks but 0. All are empty where there are no batches.

    Raises:
        ValueError: `func` returned a list of another length than the batch, or examples differ in length; an example
            has fewer than `n_input` elements.
        RengaError: On rank 0: the function failed on another rank, which raises the error itself.

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
    """Inputs, outputs and the rest of each batch."""
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
    """A list for each element of the examples."""
    examples = [example if isinstance(example, tuple) else (example,) for example in batch]
    length = len(examples[0])
    if length < n_input or any(len(example) != length for example in examples):
        lengths = sorted({len(example) for example in examples})
        raise ValueError(
            f"apply_to_iterator: examples have {lengths} elements; expected one number, at least {n_input}"
        )
    return tuple(list(column) for column in zip(*examples, strict=True))


class _Applied:
    """The function, with what it returns as a tuple of lists."""

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
    """The function, applied by all ranks, each to a share of the batch: what rank 0 does."""

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
    """What the other ranks do: apply the function to their shares until there are no more."""
    failure = None
    while (inputs := comm.recv_obj(0)) is not None:
        outcome, error = _attempt(apply, inputs)
        failure = failure or error
        comm.gather_obj(outcome)
    if failure is not None:
        raise failure


def _attempt(apply: Callable[[Lists], Lists | None], inputs: Lists) -> tuple[Lists | str | None, Exception | None]:
    """What the function makes of a share: None of an empty one, the text of the error if it fails; and that error."""
    try:
        return (apply(inputs) if inputs[0] else None), None
    except Exception as error:  # whatever it is, the other ranks must hear of it rather than wait
        return "".join(traceback.format_exception(error)), error
