"""`Kind`: the description of a kind of providers. Core's kinds are in `renga_core.kinds`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .errors import InvalidDescription
from .provider import NAME, TARGET, Provider

__all__ = ["Kind"]

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Kind(Generic[T_co]):
    """A kind of provider. `T_co` is the type of the object that a provider's `target` names.

    Args:
        name: ``optimizer``: the name in messages and on the command line.
        hook: The hook in which plugins describe their providers. Default: ``renga_<name>s``.
        revisions: The revisions of the kind's interface that this Renga can use, oldest first.
        config_key: The setting that chooses the provider, ``run.backend``; "" if there is none.
        default: The choice without a setting, which ``auto`` also means: a name; several names, of which the first
            usable one is taken; or ``auto``: the providers that ask for it (`Provider.auto`).
        config_name: Extracts the name from that setting's value: ``cupy:0`` is a device of backend ``cupy``. None: the
            value is the name.
        protocol: ``module:Class``, the protocol that providers must implement.
        suite: ``module:Class``, the conformance kit.
        summary: What a target of this kind is, in one sentence.
        spec: The class of the descriptions: `Provider`, or a class derived from it.
        namespace: The public module in which providers appear under the names of their targets, ``renga.optimizers``;
            "" if there is none.
        unique: Whether a short name must mean a single provider. Otherwise (kernels) several can be used together.

    Raises:
        InvalidDescription: A field is invalid.
    """

    name: str
    hook: str = ""
    revisions: tuple[int, ...] = (1,)
    config_key: str = ""
    default: str | tuple[str, ...] = ""
    config_name: Callable[[str], str] | None = None
    protocol: str = ""
    suite: str = ""
    summary: str = ""
    spec: type[Provider] = field(default=Provider)
    namespace: str = ""
    unique: bool = True

    def __post_init__(self) -> None:
        named = isinstance(self.name, str) and NAME.fullmatch(self.name)
        self._check(named, "name", "lower-case letters, digits, _ . -")
        if not self.hook:
            object.__setattr__(self, "hook", f"renga_{self.name}s")
        hook = isinstance(self.hook, str) and self.hook.startswith("renga_") and self.hook.isidentifier()
        self._check(hook, "hook", "'renga_<plural of the name>'")
        revisions = isinstance(self.revisions, tuple) and self.revisions
        valid = revisions and all(isinstance(revision, int) and revision >= 1 for revision in self.revisions)
        self._check(valid, "revisions", "a tuple of whole numbers from 1")
        for name in ("protocol", "suite"):
            value = getattr(self, name)
            self._check(isinstance(value, str) and (not value or TARGET.fullmatch(value)), name, "'module:Class'")
        self._check(isinstance(self.spec, type) and issubclass(self.spec, Provider), "spec", "a class of Provider")

    def _check(self, valid: object, name: str, expected: str) -> None:
        if not valid:
            raise InvalidDescription(f"Kind {self.name!r}: {name} is {getattr(self, name)!r}; expected {expected}")
