"""Looking up the parts that a run names, and checking their arguments before any part is made."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from renga.run.run_file import Choice, ExtensionChoice, RunDescription
from renga_core.plugin import Kind, ProviderFaulty, registry
from renga_core.plugin.provider import resolve
from renga_core.plugin.state import describe_error
from renga_core.settings import SettingsError, UnknownSetting, WrongType, describe, fit

__all__ = ["Part", "find_part", "parameters_of"]


@dataclass(frozen=True)
class Part:
    """A provider, and arguments that fit its signature.

    Attributes:
        label: Describes it in messages: ``optimizer 'adam' (from run file lenet.toml, optimizer.use)``.
        target: The callable.
        arguments: Keyword arguments, converted to the annotated types.
        parameters: Names of all its parameters.
        required: Names of the parameters without a default.
    """

    label: str
    target: Callable[..., Any]
    arguments: Mapping[str, Any]
    parameters: frozenset[str]
    required: frozenset[str] = frozenset()

    def make(self, *positional: Any, **supplied: Any) -> Any:
        """Call the target. If it raises an error, a note names the part."""
        try:
            return self.target(*positional, **supplied, **self.arguments)
        except SystemExit as error:
            raise ProviderFaulty(f"{self.label} cannot be made: {describe_error(error)}.") from error
        except Exception as error:
            error.add_note(f"This was {self.label}, while it was being made.")
            raise


def find_part(
    kind: Kind[Any],
    choice: Choice | ExtensionChoice,
    key: str,
    run: RunDescription,
    supplied: Sequence[str] = (),
    known_later: Sequence[str] = (),
) -> Part:
    """Look a choice up in the registry, import it, and check its arguments against its signature.

    Args:
        kind: The kind of the provider.
        choice: The name and arguments.
        key: The part's key in the run: ``optimizer``, ``hooks[0]``.
        run: The run, which knows where each key comes from.
        supplied: Names of parameters that the run itself supplies.
        known_later: Names of parameters that the run supplies later if the user does not.

    Raises:
        RengaPluginError: The name is unknown, ambiguous, or cannot be used.
        UnknownSetting: An argument's name is not a parameter.
        WrongType: An argument's type differs from the annotation of the parameter.
        SettingsError: An argument without a default is missing.
    """
    origin = run.where(f"{key}.use")
    target = registry(kind).load(choice.use, origin=origin)
    provider = registry(kind).select(choice.use, origin=origin).offer.provider
    label = f"{kind.name} '{provider.name}' (from {origin})"
    parameters = parameters_of(resolve(provider.options) if provider.options else target)
    arguments = dict(choice.arguments)
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return Part(label, target, arguments, frozenset(arguments))
    by_name = {parameter.name: parameter for parameter in parameters if parameter.name not in supplied}
    for name, value in arguments.items():
        path = f"{key}.{name}"
        if name not in by_name:
            raise UnknownSetting(path, run.origin(path), [f"{key}.{known}" for known in by_name])
        annotation = by_name[name].annotation
        try:
            arguments[name] = fit(value, annotation)
        except TypeError:
            raise WrongType(path, run.origin(path), describe(annotation), value) from None
    for name, parameter in by_name.items():
        if parameter.default is inspect.Parameter.empty and name not in (*arguments, *known_later):
            raise SettingsError(f"{key}.{name} is missing: {label} requires it")
    required = frozenset(each.name for each in parameters if each.default is inspect.Parameter.empty)
    return Part(label, target, arguments, frozenset(parameter.name for parameter in parameters), required)


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


def parameters_of(target: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters that can be given by name, with types from annotations, or `Any` if a type is unknown."""
    function = target.__init__ if inspect.isclass(target) else target
    names = getattr(inspect.unwrap(function), "__globals__", {})
    found = inspect.signature(target).parameters.values()
    return [parameter.replace(annotation=_type(parameter, names)) for parameter in found if parameter.kind in _NAMED]


def _type(parameter: inspect.Parameter, names: Mapping[str, Any]) -> Any:
    if parameter.annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(parameter.annotation, str):
        return parameter.annotation
    try:
        return eval(parameter.annotation, {**vars(builtins), **names})
    except Exception:
        # The module imports this name for type checkers only: no TOML value has such a type.
        return Any
