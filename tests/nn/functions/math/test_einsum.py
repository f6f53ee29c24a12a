"""NumPy's einsum and tensordot in float64 are the references."""

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions import einsum, tensordot
from renga_testing.function_suite import FunctionSuite


class TestEinsum(FunctionSuite):
    tolerances = {**FunctionSuite.tolerances, "float16": 2e-2}
    cases = {
        name: {"subscripts": name, "shapes": shapes}
        for name, shapes in {
            "ij,jk->ik": ((2, 3), (3, 4)),
            "ij,jk": ((2, 3), (3, 4)),
            "bij,bjk->bik": ((2, 3, 4), (2, 4, 2)),
            "bij,bkj->kbi": ((2, 3, 4), (2, 5, 4)),
            "ba": ((2, 3),),
            "ij->": ((2, 3),),
            "ii": ((3, 3),),
            "ii->i": ((3, 3),),
            "iji->j": ((3, 2, 3),),
            "iijj->ij": ((2, 2, 3, 3),),
            "iii->i": ((3, 3, 3),),
            "ijii,jk->ki": ((2, 3, 2, 2), (3, 2)),
            "i,i->i": ((3,), (3,)),
            "i,j->ij": ((3,), (2,)),
            "i,j->": ((3,), (2,)),
            "i , i": ((3,), (3,)),
            ",i->i": ((), (3,)),
            ",": ((), ()),
            "ij,jk,kl->il": ((2, 3), (3, 4), (4, 2)),
            "ij,ik,il->jkl": ((2, 3), (2, 2), (2, 2)),
            "ab,bc,ca->": ((2, 3), (3, 4), (4, 2)),
            "...ij,...jk->...ik": ((2, 1, 2, 3), (4, 3, 2)),
            "i...->...": ((2, 3, 2),),
            "...": ((2, 3),),
            "...i,i": ((2, 3), (3,)),
            "...,...": ((3, 1), (2,)),
            "a...b,b...->...a": ((2, 3, 2), (2, 3)),
            "ii...->...i": ((2, 2, 3),),
            "ij,ij->ij": ((1, 3), (2, 3)),
            "mn,nk->mk": ((2, 1), (3, 4)),
            "Ba,aB": ((2, 3), (3, 2)),
        }.items()
    }
    bad_inputs = {
        "axes": ((np.ones(3), np.ones((3, 4))), InvalidType, ("einsum", "operand 0", "'ij'", "(3,)")),
        "sizes": ((np.ones((2, 3)), np.ones((4, 5))), InvalidType, ("einsum", "operand 1", "size 3", "axis j", "4, 5")),
        "integers": ((np.ones((2, 3), int), np.ones((3, 4))), InvalidType, ("einsum", "operand 0", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in self.shapes)

    def call(self, *xs):
        return einsum(self.subscripts, *xs)

    def reference(self, *xs):
        return np.einsum(self.subscripts, *xs)

    def empty_inputs(self, dtype):
        """All axes whose size is 3."""
        return tuple(np.zeros([0 if size == 3 else size for size in shape], dtype) for shape in self.shapes)


class TestEinsumOfNumbers(FunctionSuite):
    subjects = ("einsum",)
    cases = {
        "result": {"labels": ([0, 5], [5, 2], [2, 0])},
        "without": {"labels": ([3, 1], [1, 0])},
        "ellipsis": {"labels": ([..., 1], [1, 0], [0, ...])},
    }
    bad_inputs = {"sizes": ((np.ones((2, 3)), np.ones((4, 5))), InvalidType, ("einsum", "operand 1", "size 3"))}

    def make_inputs(self, rng, dtype):
        return rng.uniform(-1, 1, (2, 3)).astype(dtype), rng.uniform(-1, 1, (3, 4)).astype(dtype)

    def call(self, a, b):
        return einsum(a, self.labels[0], b, *self.labels[1:])

    def reference(self, a, b):
        return np.einsum(a, self.labels[0], b, *self.labels[1:])


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ((), "no subscripts"),
        (("ij,jk", np.ones((2, 2))), "'ij,jk' is for 2 arrays; 1 are given"),
        (("i.j", np.ones((2, 2))), "neither letters nor an ellipsis"),
        (("i1", np.ones((2, 2))), "neither letters nor an ellipsis"),
        (("......", np.ones((2, 2))), "neither letters nor an ellipsis"),
        (("ij->ik", np.ones((2, 2))), "the result 'ik' must name each axis once"),
        (("ij->ii", np.ones((2, 2))), "the result 'ii' must name each axis once"),
        (("i...->i", np.ones((2, 2))), "the result 'i' leaves out the ellipsis"),
        ((np.ones(2), [-1]), "not a list of numbers from 0"),
        ((np.ones(2), "i"), "not a list of numbers from 0"),
        ((np.ones(2), [..., ...]), "more than one ellipsis"),
    ],
)
def test_notation_without_sense(operands, message):
    with pytest.raises(ValueError, match=message):
        einsum(*operands)


def test_a_diagonal_of_what_is_not_square():
    with pytest.raises(InvalidType, match=r"operand 0: expected one size of the axes 'i', got float64 \(2, 3\)"):
        einsum("ii", np.ones((2, 3)))


def test_of_a_number_of_letters_not_of_their_product():
    """Two at a time: the product of all letters would have 10**12 elements."""
    x = np.ones((100, 100))
    assert einsum("ab,bc,cd,de,ef->", *[x] * 5).item() == 1e12


def test_the_same_array_twice():
    x = Variable(np.array([1.0, 2.0]))
    einsum("i,i", x, x).backward()
    assert x.grad.tolist() == [2, 4]


class TestTensordot(FunctionSuite):
    cases = {
        "default": {"shapes": ((2, 3, 4), (3, 4, 2)), "args": ()},
        "one": {"shapes": ((2, 3), (3, 4)), "args": (1,)},
        "outer": {"shapes": ((2, 3), (2,)), "args": (0,)},
        "named": {"shapes": ((2, 3, 4), (4, 5, 2)), "args": (((0, 2), (2, 0)),)},
        "from the end": {"shapes": ((2, 3, 4), (4, 5, 2)), "args": (([-1, -3], [0, -1]),)},
        "numbers": {"shapes": ((2, 3, 4), (3, 2)), "args": ((1, 0),)},
        "all": {"shapes": ((2, 3), (2, 3)), "args": (2,)},
    }
    bad_inputs = {
        "sizes": (
            (np.ones((2, 3, 4)), np.ones((4, 3, 2))),
            InvalidType,
            ("tensordot", "b", "(3, 4)", "(4, 3, 2)"),
        ),
        "a list": (([1.0], np.ones(2)), InvalidType, ("tensordot", "a", "list")),
        "too few": ((np.ones(3), np.ones(3)), ValueError, ("tensordot", "2 axes")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in self.shapes)

    def call(self, a, b):
        return tensordot(a, b, *self.args)

    def reference(self, a, b):
        return np.tensordot(a, b, *self.args)

    def empty_inputs(self, dtype):
        return tuple(np.zeros([0 if size == 3 else size for size in shape], dtype) for shape in self.shapes)


@pytest.mark.parametrize("axes", [((0,), (0, 1)), ((0, 0), (0, 1)), ((2,), (0,)), -1, ((0,), (0,), (1,))])
def test_axes_without_sense(axes):
    with pytest.raises(ValueError, match="tensordot"):
        tensordot(np.ones((2, 2)), np.ones((2, 2)), axes)
