"""Traversing a tree of links."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from renga_core.graph import Parameter
    from renga_core.link.link import Link

__all__ = ["Tree"]


class Tree:
    """The traversals of `Link`, based on a link's own parameters and its children.

    The order is: parameters, then children, each sorted by name as in Chainer (children of a list by position), so that
    it is the same in every process.
    """

    def _own_params(self) -> Iterator[tuple[str, Parameter]]:
        """The link's own parameters, by name."""
        raise NotImplementedError

    def _named_children(self) -> Iterator[tuple[str, Link]]:
        """The children, by their names in paths. A link with children overrides it."""
        return iter(())

    def children(self) -> Iterator[Link]:
        """The links directly below this one."""
        for _, child in self._named_children():
            yield child

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """All links of the tree with their paths: ``/`` for this link, ``/block/conv`` for others; parents first."""
        if not skipself:
            yield "/", cast("Link", self)
        for name, child in self._named_children():
            yield f"/{name}", child
            for path, link in child.namedlinks(skipself=True):
                yield f"/{name}{path}", link

    def links(self, skipself: bool = False) -> Iterator[Link]:
        """All links of the tree, parents first."""
        for _, link in self.namedlinks(skipself):
            yield link

    def namedparams(self, include_uninit: bool = True) -> Iterator[tuple[str, Parameter]]:
        """All parameters of the tree with all their paths, such as ``/block/conv/W``.

        Args:
            include_uninit: Also yield parameters that have no array yet.
        """
        for name, param in self._own_params():
            if include_uninit or param.is_initialized:
                yield f"/{name}", param
        for name, child in self._named_children():
            for path, param in child.namedparams(include_uninit):
                yield f"/{name}{path}", param

    def params(self, include_uninit: bool = True) -> Iterator[Parameter]:
        """All parameters of the tree, each once even if several links hold it.

        Args:
            include_uninit: Also yield parameters that have no array yet.
        """
        # A list, because nested generators would add calls to each step, and this runs in each update.
        found = [param for _, param in self._own_params() if include_uninit or param.is_initialized]
        for _, child in self._named_children():
            found += child.params(include_uninit)
        return iter(dict.fromkeys(found))

    def count_params(self) -> int:
        """Number of elements of all parameters; each counts once.

        Warns:
            UserWarning: A parameter has no array yet and is not counted.
        """
        count = 0
        for param, path in {param: path for path, param in self.namedparams()}.items():
            if param.is_initialized:
                count += param.size
            else:
                warnings.warn(f"parameter {path} has no shape yet and is not counted; call the link once", stacklevel=2)
        return count
