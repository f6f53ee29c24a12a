"""Walking a tree of links."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from renga_core.graph import Parameter
    from renga_core.link.link import Link

__all__ = ["Tree"]


class Tree:
    """The walks of `Link`, made of two things that a link says of itself: its own parameters and its children.

    Walks go by parameters first, then children, each sorted by name as in Chainer (children in a list by position), so
    that they are the same in every process.
    """

    def _own_params(self) -> Iterator[tuple[str, Parameter]]:
        """The parameters of this link itself, by name."""
        raise NotImplementedError

    def _named_children(self) -> Iterator[tuple[str, Link]]:
        """The children and the names they have in paths. A link with children overrides it."""
        return iter(())

    def children(self) -> Iterator[Link]:
        """The links directly below this one."""
        for _, child in self._named_children():
            yield child

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """All links of the tree with their paths: ``/`` for this one, ``/block/conv`` further down; parents first."""
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
        """All parameters of the tree with their paths, such as ``/block/conv/W``.

        Args:
            include_uninit: Also those that have no array yet.
        """
        for name, param in self._own_params():
            if include_uninit or param.is_initialized:
                yield f"/{name}", param
        for name, child in self._named_children():
            for path, param in child.namedparams(include_uninit):
                yield f"/{name}{path}", param

    def params(self, include_uninit: bool = True) -> Iterator[Parameter]:
        """All parameters of the tree.

        Args:
            include_uninit: Also those that have no array yet.
        """
        # A list, since each step of a generator is a call of each generator around it, and each update comes here.
        found = [param for _, param in self._own_params() if include_uninit or param.is_initialized]
        for _, child in self._named_children():
            found += child.params(include_uninit)
        return iter(found)

    def count_params(self) -> int:
        """Number of elements of all parameters.

        Warns:
            UserWarning: A parameter has no array yet; it counts for nothing.
        """
        count = 0
        for path, param in self.namedparams():
            if param.is_initialized:
                count += param.size
            else:
                warnings.warn(f"parameter {path} has no shape yet and is not counted; call the link once", stacklevel=2)
        return count
