"""`Chain`: a link with named children."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from renga_core.link.link import Link

__all__ = ["Chain"]


class NoSuchChild(KeyError, AttributeError):
    """A chain has no child with this name. Also an AttributeError, because children are attributes."""


class Chain(Link):
    """A link whose children are attributes.

    ::

        class MLP(Chain):
            def __init__(self, hidden, out):
                super().__init__()
                with self.init_scope():
                    self.l1 = Linear(None, hidden)
                    self.l2 = Linear(None, out)

            def forward(self, x):
                return self.l2(relu(self.l1(x)))

    A link assigned outside an `init_scope` is an ordinary attribute: it is not trained, saved or moved with the chain.
    But if it has the name of a child, it replaces that child.

    Args:
        links: Children by name.
    """

    def __init__(self, **links: Link) -> None:
        super().__init__()
        self._children: set[str] = set()
        for name, link in links.items():
            self.add_link(name, link)

    def __getitem__(self, name: str) -> Link:
        """The child with this name.

        Raises:
            NoSuchChild: There is no such child. It is both a KeyError and an AttributeError.
        """
        if name not in self._children:
            raise NoSuchChild(
                f"{type(self).__name__} has no child {name!r}; it has: {', '.join(sorted(self._children)) or 'none'}"
            )
        child: Link = self.__dict__[name]
        return child

    def add_link(self, name: str, link: Link) -> None:
        """Register a child.

        Raises:
            AttributeError: The attribute exists already.
            TypeError: `link` is not a link.
        """
        if not isinstance(link, Link):
            raise TypeError(f"cannot register {name!r} as a child: {type(link).__name__} is not a Link")
        with self.init_scope():
            setattr(self, name, link)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, Link) and name in self.__dict__.get("_children", ()):
            value.name = name

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._children.discard(name)

    def _register_child(self, name: str, child: Link) -> None:
        if hasattr(self, name):
            raise AttributeError(self._taken("link", name))
        self._children.add(name)

    def _named_children(self) -> Iterator[tuple[str, Link]]:
        names = sorted(self._children)
        return zip(names, [self.__dict__[name] for name in names], strict=True)

    def _printable_parts(self) -> Iterator[tuple[str, Any]]:
        # In the order of assignment, which readers expect: conv2 before conv10.
        return ((name, value) for name, value in self.__dict__.items() if name in self._children)

    def _shared_copy(self) -> Self:
        made = super()._shared_copy()
        made._children = set(self._children)
        for name, child in made._named_children():
            copied = child.copy("share")
            copied.name = name
            made.__dict__[name] = copied
        return made
