"""Einstein summation and tensor contraction."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.graph import InvalidType, as_variable
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import get_item, matmul, reshape, transpose
from renga_core.graph.operators import sum as sum_of
from renga_nn.functions.checks import as_integer, as_integers, require_array, require_floating

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["einsum", "tensordot"]

Label = str | int
"""The label of an axis: a letter or number from the user, or a `_Dot`."""

Term = tuple["Variable", list[Label]]
"""An array, and the labels of its axes."""


def tensordot(a: Any, b: Any, axes: int | Sequence[Any] = 2) -> Variable:
    """Tensor contraction: the sum of products over some axes of `a` and the same number of axes of `b`.

    Args:
        a, b: Variables or arrays.
        axes: The number of last axes of `a` and first axes of `b`; or a pair: axes of `a` and axes of `b`, each a
            number or a sequence of the same length.

    Returns:
        Variable: the other axes of `a`, then those of `b`.

    Raises:
        InvalidType: Sizes differ.
        ValueError: There are no such axes, an axis appears twice, or the numbers of axes differ.

    >>> import numpy as np
    >>> tensordot(np.ones((2, 3, 4)), np.ones((4, 3, 5)), axes=((2, 1), (0, 1))).shape
    (2, 5)
    """
    require_array("tensordot", "a", a)
    require_array("tensordot", "b", b)
    if isinstance(axes, Sequence):
        pair = [list(as_integers("tensordot", "axes", given)) for given in axes]
    else:
        number = as_integer("tensordot", "axes", axes)
        if not 0 <= number <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: {number} axes of arrays with {a.ndim} and {b.ndim}")
        pair = [list(range(a.ndim - number, a.ndim)), list(range(number))]
    if len(pair) != 2 or len(pair[0]) != len(pair[1]):
        raise ValueError(f"tensordot: axes {axes} have different numbers for a and b")
    left, right = (_numbered(x, given) for x, given in zip((a, b), pair, strict=True))
    sizes = [a.shape[i] for i in left]
    if sizes != [b.shape[j] for j in right]:
        expected = f"sizes {tuple(sizes)} of axes {tuple(right)}, to match a: {describe_array(a)}"
        raise InvalidType("tensordot", "b", expected, describe_array(b))
    rows = [i for i in range(a.ndim) if i not in left]
    columns = [j for j in range(b.ndim) if j not in right]
    shape = (*[a.shape[i] for i in rows], *[b.shape[j] for j in columns])
    inner = math.prod(sizes)
    matrix = reshape(transpose(a, rows + left), (math.prod([a.shape[i] for i in rows]), inner))
    other = reshape(transpose(b, right + columns), (inner, math.prod([b.shape[j] for j in columns])))
    return reshape(matmul(matrix, other), shape)


def einsum(*operands: Any) -> Variable:
    """Einstein summation, as `numpy.einsum`: ``einsum("ij,jk->ik", a, b)``.

    Each axis of each array has a letter. Elements at the same position of axes with the same letter are multiplied, and
    the products are summed over all letters that are not in the result.

    - A letter that occurs twice in one array means its diagonal: ``"ii"`` is the trace, ``"ii->i"`` the diagonal.
    - Without an arrow, the result has the letters that occur once, in alphabetical order.
    - ``...`` stands for axes without letters; they broadcast, and come first in the result unless it contains ``...``.
    - Instead of letters, lists of numbers may follow each array, and one at the end for the result:
      ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.

    Arrays are multiplied from left to right, two at a time, by matrix multiplication; axes that only one array has are
    summed first.

    Raises:
        InvalidType: An array is not floating, its number of axes differs from its letters, or sizes differ.
        ValueError: The notation is invalid.

    >>> import numpy as np
    >>> einsum("ij,kj->ik", np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).array.tolist()
    [[11.0]]
    """
    subscripts, result, arrays = _read(operands)
    terms = [_term(i, x, labels) for i, (x, labels) in enumerate(zip(arrays, subscripts, strict=True))]
    dots = sorted({name for _, names in terms for name in names if isinstance(name, _Dot)})
    if result is None:
        counted = Counter([label for labels in subscripts for label in labels if label is not Ellipsis])
        result = [Ellipsis, *sorted([label for label, number in counted.items() if number == 1])]
    elif dots and Ellipsis not in result:
        raise ValueError(f"einsum: the result {_spelled(result)} leaves out the ellipsis, which is not summed over")
    wanted = _expanded(result, dots)
    known = {name for _, names in terms for name in names}
    if len(set(wanted)) != len(wanted) or not known.issuperset(wanted):
        raise ValueError(f"einsum: the result {_spelled(result)} must name each axis once, and axes of operands only")
    terms = _without_broadcasting(terms)
    while len(terms) > 1:
        first, second, *rest = terms
        needed = {*wanted, *[name for _, names in rest for name in names]}
        first, second = _summed(first, needed.union(second[1])), _summed(second, needed.union(first[1]))
        terms = [_product(first, second, needed), *rest]
    y, names = _summed(terms[0], set(wanted))
    return _transposed(y, [names.index(name) for name in wanted])


class _Dot(int):
    """An axis of an ellipsis, by its number from the right: -1, -2, …"""


def _read(operands: Sequence[Any]) -> tuple[list[list[Any]], list[Any] | None, list[Any]]:
    """Parse the arguments to labels for each array, labels of the result, and the arrays."""
    if not operands:
        raise ValueError("einsum: no subscripts, and no arrays")
    if not isinstance(operands[0], str):
        pairs = list(operands)
        result = _numbers(pairs.pop()) if len(pairs) % 2 else None
        return [_numbers(labels) for labels in pairs[1::2]], result, pairs[::2]
    inputs, arrow, output = operands[0].replace(" ", "").partition("->")
    subscripts = [_letters(part) for part in inputs.split(",")]
    arrays = list(operands[1:])
    if len(arrays) != len(subscripts):
        raise ValueError(f"einsum: {operands[0]!r} is for {len(subscripts)} arrays; {len(arrays)} are given")
    return subscripts, _letters(output) if arrow else None, arrays


def _letters(text: str) -> list[Any]:
    before, dots, after = text.partition("...")
    if not (before + after).isalpha() and before + after:
        raise ValueError(f"einsum: {text!r} is neither letters nor an ellipsis")
    return [*before, *([Ellipsis] if dots else []), *after]


def _numbers(labels: Any) -> list[Any]:
    if isinstance(labels, (list, tuple)) and all(
        x is Ellipsis or (isinstance(x, (int, np.integer)) and x >= 0) for x in labels
    ):
        return list(labels)
    raise ValueError(f"einsum: {labels!r} is not a list of numbers from 0, which may have an ellipsis in it")


def _spelled(labels: Sequence[Any]) -> str:
    return repr("".join("..." if label is Ellipsis else str(label) for label in labels))


def _expanded(labels: Sequence[Any], dots: Sequence[_Dot]) -> list[Label]:
    """Replace the ellipsis in labels by its axes."""
    return [name for label in labels for name in (dots if label is Ellipsis else (label,))]


def _term(number: int, x: Any, labels: list[Any]) -> Term:
    """An operand in which each label occurs once."""
    argument = f"operand {number}"
    require_floating("einsum", argument, x)
    unnamed = x.ndim - (len(labels) - labels.count(Ellipsis))
    if labels.count(Ellipsis) > 1:
        raise ValueError(f"einsum: {_spelled(labels)} has more than one ellipsis")
    if unnamed < 0 or (unnamed and Ellipsis not in labels):
        raise InvalidType("einsum", argument, f"the axes {_spelled(labels)}", describe_array(x))
    names = _expanded(labels, [_Dot(i) for i in range(-unnamed, 0)])
    y = as_variable(x)
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            i = names.index(name)
            j = names.index(name, i + 1)
            size = y.shape[i]
            if y.shape[j] != size:
                raise InvalidType("einsum", argument, f"one size of the axes {name!r}", describe_array(x))
            rest = [a for a in range(y.ndim) if a not in (i, j)]
            square = reshape(transpose(y, (*rest, i, j)), (*[y.shape[a] for a in rest], size * size))
            y = get_item(square, (..., slice(None, None, size + 1)))
            names = [*[names[a] for a in rest], name]
    return y, names


def _without_broadcasting(terms: list[Term]) -> list[Term]:
    """Drop axes of size 1 that have another size elsewhere, since missing axes broadcast."""
    sizes: dict[Label, int] = {}
    for number, (x, names) in enumerate(terms):
        for name, size in zip(names, x.shape, strict=True):
            if sizes.setdefault(name, size) == 1:
                sizes[name] = size
            elif size not in (1, sizes[name]):
                what = f"axis {name}" + (" of the ellipsis" if isinstance(name, _Dot) else "")
                expected = f"size {sizes[name]} or 1 of {what}, as in an operand before"
                raise InvalidType("einsum", f"operand {number}", expected, describe_array(x))
    made = []
    for x, names in terms:
        kept = [i for i, name in enumerate(names) if x.shape[i] == sizes[name]]
        made.append((_reshaped(x, tuple([x.shape[i] for i in kept])), [names[i] for i in kept]))
    return made


def _summed(term: Term, needed: set[Label]) -> Term:
    """Sum over all axes except these."""
    x, names = term
    axes = tuple([i for i, name in enumerate(names) if name not in needed])
    return (sum_of(x, axes), [name for name in names if name in needed]) if axes else term


def _product(first: Term, second: Term, needed: set[Label]) -> Term:
    """The product of two operands, summed over shared axes that nothing else needs."""
    (x, left), (y, right) = first, second
    batch = [name for name in left if name in right and name in needed]
    inner = [name for name in left if name in right and name not in needed]
    rows = [name for name in left if name not in right]
    columns = [name for name in right if name not in left]
    sizes = dict(zip((*left, *right), (*x.shape, *y.shape), strict=True))

    def shape(*groups: list[Label]) -> tuple[int, ...]:
        return tuple([sizes[name] for group in groups for name in group])

    x = _transposed(x, [left.index(name) for name in (*batch, *rows, *inner)])
    y = _transposed(y, [right.index(name) for name in (*batch, *inner, *columns)])
    result = shape(batch, rows, columns)
    if inner:
        outer, size = shape(batch), math.prod(shape(inner))
        x = _reshaped(x, (*outer, math.prod(shape(rows)), size))
        y = _reshaped(y, (*outer, size, math.prod(shape(columns))))
        return _reshaped(matmul(x, y), result), batch + rows + columns
    x = _reshaped(x, (*shape(batch, rows), *[1] * len(columns)))
    y = _reshaped(y, (*shape(batch), *[1] * len(rows), *shape(columns)))
    return x * y, batch + rows + columns


def _transposed(x: Variable, order: list[int]) -> Variable:
    """`transpose`, but without a node if nothing changes."""
    return x if order == sorted(order) else transpose(x, order)


def _reshaped(x: Variable, shape: tuple[int, ...]) -> Variable:
    """`reshape`, but without a node if the shape is the same."""
    return x if x.shape == shape else reshape(x, shape)


def _numbered(x: Any, axes: Sequence[int]) -> list[int]:
    """Return axes as distinct numbers from 0."""
    numbers = [a % x.ndim if -x.ndim <= a < x.ndim else a for a in axes]
    if len(set(numbers)) != len(numbers) or any(not 0 <= a < x.ndim for a in numbers):
        raise ValueError(f"tensordot: {tuple(axes)} are not different axes of {describe_array(x)}")
    return numbers
