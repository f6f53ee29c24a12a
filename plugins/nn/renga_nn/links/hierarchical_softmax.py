"""A softmax over very many classes, computed along a path in a binary tree."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from renga_core import random
from renga_core.backend import Array, Device, get_backend, same_dtype
from renga_core.graph import InvalidType, Parameter, Variable, as_array
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_core.graph.operators import sum as sum_of
from renga_core.link import Link
from renga_nn.functions.activation import softplus
from renga_nn.functions.activation.sigmoid import sigmoid_array
from renga_nn.functions.array import where
from renga_nn.functions.checks import labels_of, require_labels_in_range
from renga_nn.functions.connection import embed_id
from renga_nn.initializers import Uniform

__all__ = ["BinaryHierarchicalSoftmax"]


class BinaryHierarchicalSoftmax(Link):
    """Loss of a classifier over the leaves of a binary tree (Morin & Bengio 2005).

    At each inner node, the path goes left with probability ``sigmoid(W[node] x)``, otherwise right. The probability of
    a class is the probability of reaching its leaf, and the loss is minus its logarithm. So the cost of a class is the
    depth of its leaf: about ``log2(classes)``, and less for frequent classes with `create_huffman_tree`.

    Args:
        in_size: Size of the vectors.
        tree: Pairs of trees, as tuples, whose leaves are the classes: ``((1, 2), 0)``.
        dtype: Dtype of `W`; ``config.dtype`` if None.

    Attributes:
        W: A vector for each inner node, ``(nodes, in_size)``. Nodes are numbered from the root in depth-first order,
            left subtrees first.
        tree: The tree.

    Raises:
        ValueError: An inner node is not a pair, a leaf is not a class, or a class occurs twice.

    >>> import numpy as np
    >>> tree = BinaryHierarchicalSoftmax.create_huffman_tree({0: 8, 1: 5, 2: 6})
    >>> layer = BinaryHierarchicalSoftmax(4, tree)
    >>> layer(np.ones((6, 4), np.float32), np.array([0, 1, 2, 0, 1, 2], np.int32)).shape
    ()
    """

    def __init__(self, in_size: int, tree: Any, dtype: Any = None) -> None:
        super().__init__()
        self.tree = tree
        self._paths = _Paths(tree)
        self._paths.to_device(self.device)
        with self.init_scope():
            self.W = Parameter(Uniform(1, dtype), (self._paths.children.shape[0], in_size))

    @staticmethod
    def create_huffman_tree(word_counts: Mapping[int, float]) -> Any:
        """Return the tree with the smallest mean depth of leaves, weighted by `word_counts` (Huffman 1952).

        Args:
            word_counts: How often each class occurs.

        Raises:
            ValueError: There are no classes.

        >>> BinaryHierarchicalSoftmax.create_huffman_tree({0: 8, 1: 5, 2: 6, 3: 4})
        ((3, 1), (2, 0))
        """
        if not word_counts:
            raise ValueError("create_huffman_tree: word_counts is empty; a tree has at least one leaf")
        # The number decides between equal counts, so trees are never compared.
        heap: list[tuple[float, int, Any]] = [(count, i, word) for i, (word, count) in enumerate(word_counts.items())]
        heapq.heapify(heap)
        while len(heap) > 1:
            (count0, number0, left), (count1, number1, right) = heapq.heappop(heap), heapq.heappop(heap)
            heapq.heappush(heap, (count0 + count1, min(number0, number1), (left, right)))
        return heap[0][2]

    def to_device(self, device: str | Device) -> Self:
        """Move parameters and paths to a device."""
        super().to_device(device)
        # A copy, because the paths may be shared with a copy of this link on another device.
        self._paths = copy.copy(self._paths)
        self._paths.to_device(self.device)
        return self

    def forward(self, x: Any, t: Any) -> Variable:
        """The sum of the losses.

        Args:
            x: Vectors ``(N, in_size)``.
            t: Correct classes, integers ``(N,)``.

        Raises:
            InvalidType: Shapes or dtypes do not fit.
            ValueError: A class is not in the tree.
        """
        name = type(self).__name__
        if x.ndim != 2 or x.shape[1] != self.W.shape[1] or not same_dtype(x, self.W):
            raise InvalidType(name, "x", f"{self.W.dtype} (N, {self.W.shape[1]}), to fit W", describe_array(x))
        classes = labels_of(name, x, t)
        paths = self._paths
        require_labels_in_range(name, classes, paths.lengths.shape[0])
        xp = get_backend(classes).xp
        lengths = paths.lengths[classes]
        deepest = int(lengths.max()) if classes.size else 0
        if classes.size and int(lengths.min()) == 0 and paths.nodes.size:
            raise ValueError(f"{name}: t has classes that are not leaves of the tree")
        step = xp.arange(deepest)
        on_path = step < lengths[:, None]
        places = xp.where(on_path, paths.begins[classes][:, None] + step, 0)
        scores = sum_of(embed_id(paths.nodes[places], self.W) * reshape(x, (x.shape[0], 1, x.shape[1])), axis=2)
        turned = scores * paths.signs[places].astype(x.dtype)
        return sum_of(where(on_path, softplus(-turned), 0))

    def sample(self, x: Any) -> Array:
        """Draw a class for each row of `x` ``(N, in_size)`` with its probability; integers ``(N,)``."""
        vectors = as_array(x)
        backend = get_backend(vectors)
        xp = backend.xp
        paths = self._paths
        # Negative numbers are leaves: class c as -1 - c.
        places = xp.zeros((vectors.shape[0],), dtype=paths.children.dtype)
        if not paths.children.shape[0]:
            return places + paths.only
        for _ in range(paths.depth):
            inner = places >= 0
            node = xp.where(inner, places, 0)
            left = sigmoid_array(xp, (vectors * self.W.array[node]).sum(axis=1))
            goes_right = random.generator(backend).random(left.shape) >= left
            below = xp.where(goes_right, paths.children[node, 1], paths.children[node, 0])
            places = xp.where(inner, below, places)
        return -1 - places


class _Paths:
    """The paths from the root to all leaves, one after another.

    Attributes:
        begins, lengths: For the path to each class, the position of its first node, and the number of nodes.
        nodes, signs: The nodes, and 1 where the path goes left, -1 where it goes right.
        children: For each node its left and right child: a node, or -1 - c for the leaf of class c.
        depth: Length of the longest path.
        only: The class, if there is only one.
    """

    def __init__(self, tree: Any) -> None:
        ways: dict[int, list[tuple[int, int]]] = {}
        children: list[list[int]] = []
        # Subtrees still to visit, with their paths.
        stack: list[tuple[Any, list[tuple[int, int]]]] = [(tree, [])]
        while stack:
            below, way = stack.pop()
            place = len(children)
            if isinstance(below, tuple):
                if len(below) != 2:
                    raise ValueError(f"BinaryHierarchicalSoftmax: an inner node must be a pair of trees, not {below!r}")
                children.append([0, 0])
                left, right = below
                stack += [(right, [*way, (place, -1)]), (left, [*way, (place, 1)])]
            else:
                place = self._leaf(below, ways)
                ways[below] = way
            if way:
                node, sign = way[-1]
                children[node][0 if sign == 1 else 1] = place
        self.only = next(iter(ways))
        self.depth = max(len(way) for way in ways.values())
        classes = max(ways) + 1
        flat = [step for c in range(classes) for step in ways.get(c, ())]
        self.lengths: Array = np.array([len(ways.get(c, ())) for c in range(classes)], dtype=np.int32)
        self.begins: Array = (np.cumsum(self.lengths) - self.lengths).astype(np.int32)
        self.nodes: Array = np.array([node for node, _ in flat], dtype=np.int32)
        self.signs: Array = np.array([sign for _, sign in flat], dtype=np.int32)
        self.children: Array = np.array(children, dtype=np.int32).reshape(-1, 2)

    @staticmethod
    def _leaf(below: Any, ways: Mapping[int, Any]) -> int:
        if not isinstance(below, (int, np.integer)) or below < 0:
            raise ValueError(f"BinaryHierarchicalSoftmax: a leaf is the number of a class, not {below!r}")
        if below in ways:
            raise ValueError(f"BinaryHierarchicalSoftmax: class {below} is in the tree twice")
        return -1 - int(below)

    def to_device(self, device: Device) -> None:
        for name in ("begins", "lengths", "nodes", "signs", "children"):
            setattr(self, name, device.send(getattr(self, name)))
