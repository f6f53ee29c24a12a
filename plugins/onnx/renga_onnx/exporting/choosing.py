"""Chooses the converter of a function: from the program, a plugin, its class, or Renga."""

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
    """All converters, in order of precedence.

    Attributes:
        external: Converters of the program, by name of the function.
        offered: Converters of plugins, by the function that they declare.
        tables: Renga's converters, by class. A method ``to_onnx`` of the class has precedence over them.
    """

    external: Mapping[str, Converter]
    offered: Mapping[str, list[Offer]]
    tables: Mapping[type[FunctionNode], Converter]

    @classmethod
    def known(cls, external: Mapping[str, Converter]) -> Converters:
        """Return all converters. Those of plugins are imported when a function needs them."""
        tables: dict[type[FunctionNode], Converter] = {}
        for family in _FAMILIES:
            tables.update(import_module(f"renga_onnx.converters.{family}").CONVERTERS)
        offered: dict[str, list[Offer]] = {}
        for offer, status in registry(ONNX_CONVERTER).list():
            if status.state is not State.DISABLED:
                offered.setdefault(cast("OnnxConverter", offer.provider).function, []).append(offer)
        return cls(external, offered, tables)

    def find(self, function: FunctionNode, opset: int) -> Converter | None:
        """Return the converter of a function; None if there is none.

        Raises:
            RengaPluginError: Several plugins have one, or its import raised an error.
            RengaError: It does not support this opset.
        """
        return self.external.get(name_of(function)) or self._of_plugin(function, opset) or self.of_class(type(function))

    def of_class(self, cls: type[FunctionNode]) -> Converter | None:
        """Return the class's own converter, or Renga's."""
        if hasattr(cls, "to_onnx"):
            return lambda call: call.function.to_onnx(call)
        return self.tables.get(cls)

    def why_not(self, function: FunctionNode) -> str:
        """Return the reason why no plugin's converter can be used for a function; "" if there are none."""
        offers = self.offered.get(_key(function), ())
        return "; ".join(f"{offer.full_name} is {offer.status}" for offer in offers)

    def _of_plugin(self, function: FunctionNode, opset: int) -> Converter | None:
        # A broken converter is not skipped: loading it raises the error.
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
                f'built-in converter. To use the latter, set [plugins] disable = ["{offer.full_name}"].'
            )
        return converter


def name_of(function: FunctionNode) -> str:
    """Return the name of a function in external converters and messages."""
    return getattr(function, "onnx_name", type(function).__name__)


def _key(function: FunctionNode) -> str:
    """Return the name of a function in a plugin's description."""
    cls = type(function)
    return getattr(function, "onnx_name", f"{cls.__module__}:{cls.__qualname__}")


def _preferred(key: str, offers: list[Offer]) -> Offer:
    """Return the converter that the settings prefer, if a function has several."""
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
