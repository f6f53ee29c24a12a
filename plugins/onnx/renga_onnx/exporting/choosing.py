"""Which converter a function has: of the program, of a plugin, of its class, or of Renga."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from renga_core.errors import RengaError
from renga_core.graph import FunctionNode
from renga_core.plugin import AmbiguousProvider, Offer, State, get_manager, preferences, registry
from renga_onnx.exporting.call import Call
from renga_onnx.kind import ONNX_CONVERTER, OnnxConverter

__all__ = ["Converter", "Converters", "name_of"]

Converter = Callable[[Call], None]

_FAMILIES = (
    *("activation", "array", "connection", "loss", "math", "noise", "normalization", "operations", "pooling", "rnn"),
    *("regions", "special"),
)


@dataclass(frozen=True)
class Converters:
    """The converters there are, in the order in which they are looked for.

    Attributes:
        external: Of the program, by name of the function.
        offered: Of plugins, by what they say that they are for.
        tables: Renga's, by class. A method ``to_onnx`` of the class goes before them.
    """

    external: Mapping[str, Converter]
    offered: Mapping[str, list[Offer]]
    tables: Mapping[type[FunctionNode], Converter]

    @classmethod
    def known(cls, external: Mapping[str, Converter]) -> Converters:
        """All there are; plugins are asked what they offer, and imported when a function needs their converter."""
        tables: dict[type[FunctionNode], Converter] = {}
        for family in _FAMILIES:
            tables.update(import_module(f"renga_onnx.converters.{family}").CONVERTERS)
        offered: dict[str, list[Offer]] = {}
        for offer, status in registry(ONNX_CONVERTER).list():
            if status.state is not State.DISABLED:
                offered.setdefault(cast("OnnxConverter", offer.provider).function, []).append(offer)
        return cls(external, offered, tables)

    def find(self, function: FunctionNode, opset: int) -> Converter | None:
        """The converter of a function; None if there is none.

        Raises:
            RengaPluginError: Several plugins offer one, or importing it raised an error.
            RengaError: It cannot write this version of ONNX's operators.
        """
        return self.external.get(name_of(function)) or self._of_plugin(function, opset) or self.of_class(type(function))

    def of_class(self, cls: type[FunctionNode]) -> Converter | None:
        """The converter of a class that no plugin brings: its own, or Renga's."""
        if hasattr(cls, "to_onnx"):
            return lambda call: call.function.to_onnx(call)
        return self.tables.get(cls)

    def why_not(self, function: FunctionNode) -> str:
        """What keeps the converters of plugins from being used for a function; "" if there are none."""
        offers = self.offered.get(_key(function), ())
        return "; ".join(f"{offer.full_name} is {offer.status}" for offer in offers)

    def _of_plugin(self, function: FunctionNode, opset: int) -> Converter | None:
        # One that is broken is not passed over: to load it says what is wrong.
        usable = (State.READY, State.BROKEN)
        offers = [offer for offer in self.offered.get(_key(function), ()) if offer.status.state in usable]
        if not offers:
            return None
        offer = offers[0] if len(offers) == 1 else _preferred(_key(function), offers)
        oldest = cast("OnnxConverter", offer.provider).opset
        if opset < oldest:
            raise RengaError(
                f"{name_of(function)} is exported by {offer.full_name} ({offer.plugin.origin}), which writes opset "
                f"{oldest} and later; opset_version is {opset}.\nNext: pass opset_version={oldest}, or a converter of "
                f"your own by external_converters={{{name_of(function)!r}: …}}."
            )
        converter = registry(ONNX_CONVERTER).load(offer.full_name, origin=f"converter of {_key(function)}")
        if self.of_class(type(function)) is not None:
            get_manager().notice(
                f"{name_of(function)} is exported by {offer.full_name} ({offer.plugin.origin}) instead of the "
                f'converter that it has. To keep that, set [plugins] disable = ["{offer.full_name}"].'
            )
        return converter


def name_of(function: FunctionNode) -> str:
    """What a function is called by external converters and in messages."""
    return getattr(function, "onnx_name", type(function).__name__)


def _key(function: FunctionNode) -> str:
    """What a plugin's description calls a function."""
    cls = type(function)
    return getattr(function, "onnx_name", f"{cls.__module__}:{cls.__qualname__}")


def _preferred(key: str, offers: list[Offer]) -> Offer:
    """Of several converters of one function, the one that the settings prefer."""
    settings = {offer: preferences.preferred(ONNX_CONVERTER, offer.name) for offer in offers}
    chosen = [offer for offer, said in settings.items() if said is not None and said.value in offer.plugin.names]
    if len(chosen) == 1:
        return chosen[0]
    listed = "".join(f"\n  - {offer.full_name} ({offer.plugin.origin})" for offer in offers)
    first = offers[0]
    raise AmbiguousProvider(
        f"{len(offers)} plugins offer an onnx_converter of {key}:{listed}\n"
        f'Next: set [prefer.onnx_converter] {first.name} = "{first.plugin.name}", or disable all others: '
        f'[plugins] disable = ["{offers[1].full_name}"].'
    )
