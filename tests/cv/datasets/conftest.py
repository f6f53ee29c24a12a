"""Files as the data sets come with: pictures, labels, lists."""

import random

import numpy as np
import pytest


@pytest.fixture
def draws():
    """For tests that draw of Python's random numbers: they are put back."""
    state = random.getstate()
    yield
    random.setstate(state)


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


class Tree:
    """A folder to write files to."""

    def __init__(self, root):
        self.root = root

    def text(self, name, *lines):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    def picture(self, name, colour=(10, 20, 30), size=(4, 6)):
        """A picture of one colour, in a form without losses if the name is of a png file."""
        return self.pixels(name, np.full((*size, 3), colour, np.uint8))

    def pixels(self, name, array):
        """(H, W, 3), or (H, W) with a palette, as labels are."""
        image = pytest.importorskip("PIL.Image")
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        array = np.asarray(array, np.uint8)
        made = image.fromarray(array)
        if array.ndim == 2:
            made = made.convert("P")
            made.putdata(array.reshape(-1).tolist())
        made.save(path)
        return path
