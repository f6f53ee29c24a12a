"""Converters that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import numpy as np

from renga_core.backend import get_device


class Right:
    """Stacks examples: the rest of this file derives from it."""

    def __call__(self, batch, device=None):
        if not batch:
            raise ValueError("the batch is empty")
        kinds = [self.kind(example) for example in batch]
        for number, kind in enumerate(kinds):
            if kind != kinds[0]:
                raise ValueError(f"example {number} is {kind}, and example 0 {kinds[0]}")
        return self.convert(batch, device)

    def kind(self, example):
        if isinstance(example, dict):
            return sorted(example)
        return len(example) if isinstance(example, tuple) else "an array"

    def convert(self, batch, device):
        if isinstance(batch[0], tuple):
            return tuple(self.stack(column, device) for column in zip(*batch, strict=True))
        if isinstance(batch[0], dict):
            return {key: self.stack([example[key] for example in batch], device) for key in batch[0]}
        return self.stack(batch, device)

    def stack(self, column, device):
        return self.send(np.stack(column), device)

    def send(self, array, device):
        return array if device is None else get_device(device).send(array)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class ListOfParts(Right):
    """of tuples it makes a list, which is one argument"""

    breaks = "test_what_it_returns"

    def convert(self, batch, device):
        made = super().convert(batch, device)
        return list(made) if isinstance(made, tuple) else made


class OnlyTheFirst(Right):
    """of dictionaries it keeps one key"""

    breaks = "test_what_it_returns"

    def convert(self, batch, device):
        made = super().convert(batch, device)
        return {"x": made["x"]} if isinstance(made, dict) else made


class AlwaysATuple(Right):
    """of arrays it makes a tuple of one"""

    breaks = "test_what_it_returns"

    def convert(self, batch, device):
        made = super().convert(batch, device)
        return made if isinstance(made, (tuple, dict)) else (made,)


class LastAxis(Right):
    """it has the examples along the last axis"""

    breaks = "test_values"

    def stack(self, column, device):
        return self.send(np.stack(column, axis=-1), device)


class Squeezing(Right):
    """a batch of one loses its first axis"""

    breaks = "test_values"

    def stack(self, column, device):
        return super().stack(column, device)[0] if len(column) == 1 else super().stack(column, device)


class Backwards(Right):
    """the last example comes first"""

    breaks = "test_values"

    def stack(self, column, device):
        return super().stack(column[::-1], device)


class Undeclared(Right):
    """it makes lists, and does not say so"""

    breaks = "test_values"

    def stack(self, column, device):
        return list(column)


class SinglePrecision(Right):
    """it makes float32 of everything"""

    breaks = "test_dtypes"

    def stack(self, column, device):
        column = [each.astype(np.float32) if each.dtype == np.float64 else each for each in column]
        return super().stack(column, device)


class NeedsADevice(Right):
    """it cannot do without a device"""

    breaks = "test_device"

    def send(self, array, device):
        return get_device(device).send(array)


class NoNames(Right):
    """it does not take the name of a device"""

    breaks = "test_device"

    def send(self, array, device):
        return array if device is None else device.send(array)


class Remembering(Right):
    """it gives the first batch of a size again"""

    breaks = "test_same_again"

    def __init__(self):
        self.first = None

    def convert(self, batch, device):
        if self.first is None:
            self.first = super().convert(batch, device)
        return self.first


class InPlace(Right):
    """it scales the examples themselves"""

    breaks = "test_examples_are_unchanged"

    def stack(self, column, device):
        for each in column:
            if each.ndim:
                each *= 2
        return super().stack(column, device)


class Consuming(Right):
    """it empties the list of examples"""

    breaks = "test_examples_are_unchanged"

    def convert(self, batch, device):
        taken = [batch.pop() for _ in range(len(batch))]
        return super().convert(taken[::-1], device)


class Cutting(Right):
    """it cuts arrays to the shortest"""

    breaks = "test_unequal_shapes"

    def stack(self, column, device):
        least = min(each.shape for each in column)
        return super().stack([each[: least[0]] if least else each for each in column], device)


class Objects(Right):
    """of arrays of other shapes it makes an array of Python's objects"""

    breaks = "test_unequal_shapes"

    def stack(self, column, device):
        if len({each.shape for each in column}) == 1:
            return super().stack(column, device)
        made = np.empty(len(column), object)
        made[:] = column
        return made


class Dropping(Right):
    """it takes as many elements as the first example has"""

    breaks = "test_unequal_examples"

    def kind(self, example):
        return type(example)

    def convert(self, batch, device):
        if isinstance(batch[0], tuple):
            number = len(batch[0])
            return tuple(self.stack([each[i] for each in batch], device) for i in range(number))
        return super().convert(batch, device)


class Nothing(Right):
    """of an empty batch it makes an empty tuple"""

    breaks = "test_empty_batch"

    def __call__(self, batch, device=None):
        return super().__call__(batch, device) if batch else ()


class FirstOfNone(Right):
    """it looks at the first example of an empty batch"""

    breaks = "test_empty_batch"

    def __call__(self, batch, device=None):
        self.kind(batch[0])
        return super().__call__(batch, device)


class Unsent(Right):
    """it cannot be pickled"""

    breaks = "test_pickling"

    def __reduce__(self):
        raise TypeError("an open file cannot be sent")
