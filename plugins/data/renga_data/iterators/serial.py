"""`SerialIterator`: makes each batch when it is requested."""

from __future__ import annotations

from typing import Any

from renga_data.iterators.examples import finish_examples, read_examples
from renga_data.iterators.ordered import OrderedIterator

__all__ = ["SerialIterator"]


class SerialIterator(OrderedIterator):
    """Reads the examples of a batch one by one, when the batch is requested. Arguments: see `OrderedIterator`.

    Example:
        >>> iterator = SerialIterator([10, 11, 12], batch_size=2, shuffle=False)
        >>> next(iterator), next(iterator), iterator.epoch, iterator.is_new_epoch
        ([10, 11], [12, 10], 1, True)
    """

    def __next__(self) -> list[Any]:
        with self._alone():
            before = self._state
            try:
                step = self._advance(before)
                if step is None:
                    raise StopIteration
                read = read_examples(self.dataset, step.indices, self._seed + step.number)
                batch = finish_examples(self.dataset, read)
            except BaseException:
                self._return_to(before)
                raise
            self._arrive(step.state)
            return batch

    def _forget(self) -> None:
        return
