"""Long short-term memory for trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.functions.array import concat, split_axis
from renga_nn.functions.rnn import tree_lstm
from renga_nn.links.linear import Linear

__all__ = ["ChildSumTreeLSTM", "NaryTreeLSTM"]


class _TreeLSTM(Chain):
    """The base of both tree LSTMs."""

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__()
        self.in_size = in_size
        self.state_size = out_size

    def _parts(self, cshsx: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Any]:
        """Return cells and outputs of the children, and the input, with zeros in place of None."""
        children = len(cshsx) // 2
        if len(cshsx) != 2 * children + 1:
            raise TypeError(
                f"{type(self).__name__} takes the cells and the outputs of all children, and an input, which is an odd "
                f"number of arguments, not {len(cshsx)}"
            )
        *states, x = cshsx
        like = next((given for given in (x, *states) if given is not None), None)
        if like is None:
            raise ValueError(
                f"{type(self).__name__}: all cells, outputs and the input are None, so the batch size is unknown"
            )
        if x is None:
            if self.in_size is None:
                raise ValueError(f"{type(self).__name__}: x is None, and in_size was not given")
            x = self._zeros(like, self.in_size)
        cells = [self._zeros(like, self.state_size) if c is None else c for c in states[:children]]
        return cells, states[children:], x

    def _zeros(self, like: Any, size: int) -> Variable:
        return Variable(self.xp.zeros((like.shape[0], size), dtype=like.dtype), requires_grad=False)


class ChildSumTreeLSTM(_TreeLSTM):
    """One node of a tree, with any number of children in no order (Tai, Socher & Manning 2015, section 3.1).

    Here ``a, i, o, f`` are the parts of ``W_x x``, and ``A, I, O`` the parts of ``W_h_aio (h_1 + h_2 + ...)``::

        c = tanh(a + A) * sigmoid(i + I) + c_1 * sigmoid(f + W_h_f h_1) + c_2 * sigmoid(f + W_h_f h_2) + ...
        h = tanh(c) * sigmoid(o + O)

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of units.

    Attributes:
        W_x: `Linear` from the input. W_h_aio: from the sum of the children's outputs, without bias. W_h_f: from each
            child's output to its forget gate, without bias.

    >>> import numpy as np
    >>> layer = ChildSumTreeLSTM(3, 5)
    >>> state = np.zeros((2, 5), np.float32)
    >>> c, h = layer(state, state, state, state, np.ones((2, 3), np.float32))  # c, c, h, h of two children, and x
    >>> h.shape
    (2, 5)
    """

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__(in_size, out_size)
        with self.init_scope():
            self.W_x = Linear(in_size, 4 * out_size)
            self.W_h_aio = Linear(out_size, 3 * out_size, nobias=True)
            self.W_h_f = Linear(out_size, out_size, nobias=True)

    def forward(self, *cshsx: Any) -> tuple[Variable, Variable]:
        """Cells and output of a node.

        Args:
            cshsx: ``c_1, ..., c_K, h_1, ..., h_K, x``: cells and outputs of the children, ``(N, out_size)``, and the
                input ``(N, in_size)``. None means zero.

        Returns:
            The cells and the output, ``(N, out_size)``.

        Raises:
            TypeError: The numbers of outputs and cells differ.
            ValueError: Everything is None.
        """
        cells, outputs, x = self._parts(cshsx)
        aio, f = split_axis(self.W_x(x), [3 * self.state_size], axis=1)
        if not cells:
            a, i, o = split_axis(aio, 3, axis=1)
            c = tanh(a) * sigmoid(i)
            return c, tanh(c) * sigmoid(o)
        hs = [self._zeros(x, self.state_size) if h is None else h for h in outputs]
        total = hs[0]
        for h in hs[1:]:
            total = total + h
        # One product for all children.
        own = split_axis(self.W_h_f(concat(hs, axis=0)), len(hs), axis=0)
        return tree_lstm(*cells, concat([aio + self.W_h_aio(total), *[f + of_child for of_child in own]], axis=1))


class NaryTreeLSTM(_TreeLSTM):
    """One node of a tree, with a fixed number of children in order (Tai, Socher & Manning 2015, section 3.2).

    The gate inputs of `renga.functions.tree_lstm` are ``W_x x + W_h1 h_1 + W_h2 h_2 + ...``. As in Bowman et al.
    (2016), the input has separate weights for each child's forget gate.

    Args:
        in_size: Number of input features; None: from the first input.
        out_size: Number of units.
        n_ary: Number of children K.

    Attributes:
        W_x: `Linear` from the input. W_h1 ... W_hK: from the output of each child, without bias.

    Raises:
        ValueError: `n_ary` is less than 1.

    >>> import numpy as np
    >>> layer = NaryTreeLSTM(3, 5, n_ary=2)
    >>> state = np.zeros((2, 5), np.float32)
    >>> c, h = layer(state, state, state, state, np.ones((2, 3), np.float32))  # c, c, h, h of two children, and x
    >>> h.shape
    (2, 5)
    """

    def __init__(self, in_size: int | None, out_size: int, n_ary: int = 2) -> None:
        super().__init__(in_size, out_size)
        if n_ary < 1:
            raise ValueError(f"NaryTreeLSTM: n_ary is {n_ary}; a node has at least one child")
        self.n_ary = n_ary
        with self.init_scope():
            self.W_x = Linear(in_size, (3 + n_ary) * out_size)
            for k in range(1, n_ary + 1):
                setattr(self, f"W_h{k}", Linear(out_size, (3 + n_ary) * out_size, nobias=True))

    def forward(self, *cshsx: Any) -> tuple[Variable, Variable]:
        """Cells and output of a node.

        Args:
            cshsx: ``c_1, ..., c_K, h_1, ..., h_K, x``: cells and outputs of the children, ``(N, out_size)``, and the
                input ``(N, in_size)``. None means zero.

        Returns:
            The cells and the output, ``(N, out_size)``.

        Raises:
            TypeError: The number of cells or outputs is not K.
            ValueError: Everything is None.
        """
        if len(cshsx) != 2 * self.n_ary + 1:
            expected = f"the cells and outputs of {self.n_ary} children, and an input"
            raise TypeError(f"NaryTreeLSTM takes {expected}: {2 * self.n_ary + 1} arguments, not {len(cshsx)}")
        cells, outputs, x = self._parts(cshsx)
        gates = self.W_x(x)
        for k, h in enumerate(outputs, 1):
            if h is not None:
                gates += self[f"W_h{k}"](h)
        return tree_lstm(*cells, gates)
