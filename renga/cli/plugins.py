"""`renga plugins`: list plugins and their states, and explain why one is chosen."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from typing import Any

from renga_core.command_line import Parser
from renga_core.errors import RengaError, did_you_mean
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import (
    Candidate,
    Kind,
    Offer,
    Plugin,
    Problem,
    Registry,
    RengaPluginError,
    State,
    get_manager,
)
from renga_core.plugin.state import describe_error, pass_interrupt

from .arguments import arguments_of
from .docstrings import summary_of
from .explanation import Explanation, explain
from .output import print_json, print_table
from .pager import paged
from .plugin_rows import Row, rows

__all__ = ["run"]

_SHOWN = 4


def run(argv: Sequence[str]) -> int:
    """Run ``renga plugins list | show NAME | why KIND [NAME …]``."""
    arguments = _parser().parse_all(argv)
    handler: Any = arguments.handler
    return int(handler(arguments))


def _parser() -> Parser:
    parser = Parser(
        "renga plugins", "List the installed plugins, show what one provides, or explain why one is chosen."
    )
    commands = parser.add_subparsers(metavar="list | show | why", required=True)
    listing = commands.add_parser("list", description="List all providers of all plugins, with their states.")
    listing.set_defaults(handler=_list)
    listing.add_argument(
        "kind", nargs="?", metavar="KIND", help="list only this kind: optimizer, model, …; or KIND:NAME"
    )
    listing.add_argument("--plugin", metavar="NAME", help="list only what this plugin provides")
    listing.add_argument("--state", choices=[str(state) for state in State], help="list only providers in this state")
    listing.add_argument("--text", metavar="TEXT", help="list only providers with this text in name, summary or reason")
    listing.add_argument(
        "--all", action="store_true", help="print one line for each provider instead of one for each kind"
    )
    show = commands.add_parser("show", description="Show all details of a plugin or a provider.")
    show.set_defaults(handler=_show)
    show.add_argument(
        "name", metavar="NAME", help="a plugin, a provider (adam, optimizer:adam), or its full name (optimizers:adam)"
    )
    why = commands.add_parser("why", description="Show which provider of a kind is chosen, and why.")
    why.set_defaults(handler=_why)
    why.add_argument("kind", metavar="KIND", help="array_backend, optimizer, …; or KIND:NAME")
    why.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="explain the choice for this name; with several names, the first usable one is chosen",
    )
    for command in (listing, show, why):
        command.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _list(arguments: argparse.Namespace) -> int:
    every_row = bool(arguments.all or arguments.kind or arguments.plugin or arguments.state or arguments.text)
    with redirect_stdout(sys.stderr):  # plugins may print while they load; that is not part of the answer
        found = _filtered(rows(summaries=every_row or arguments.json), arguments)
    if arguments.json:
        print_json([row._asdict() for row in found])
        return 0
    with paged():
        if every_row:
            _print_rows(found)
        else:
            _print_overview(found)
    return 0


def _filtered(found: Sequence[Row], arguments: argparse.Namespace) -> list[Row]:
    meant, names = _kind_and_name(arguments.kind) if arguments.kind else (None, [])
    kind = meant.name if meant else None
    if arguments.plugin:
        known = [plugin.name for plugin in get_manager().plugins()]
        if arguments.plugin not in known:
            near = did_you_mean(arguments.plugin, known)
            raise UnknownName(f"no plugin named '{arguments.plugin}'.{near} Known: {', '.join(known)}.")
    text = (arguments.text or "").lower()
    return [
        row
        for row in found
        if kind in (None, row.kind)
        and (not names or row.name == names[0] or f"{row.plugin}:{row.name}" == names[0])
        and arguments.plugin in (None, row.plugin)
        and arguments.state in (None, str(row.state))
        and text in f"{row.name} {row.plugin} {row.summary} {row.reason}".lower()
    ]


def _print_overview(found: Sequence[Row]) -> None:
    """Print a line for each kind, then the problems."""
    kinds: dict[str, list[Row]] = {}
    for row in found:
        if row.kind:
            kinds.setdefault(row.kind, []).append(row)
    table = []
    for kind, mine in kinds.items():
        names = list(dict.fromkeys(row.name for row in mine))
        more = f", … {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        ready = sum(row.state is State.READY for row in mine)
        table.append((kind, str(len(mine)), str(ready), ", ".join(names[:_SHOWN]) + more))
    print_table(table, head=("KIND", "COUNT", "READY", "NAMES"))
    wrong = [row for row in found if row.state not in (State.READY, State.UNAVAILABLE)]
    if wrong:
        print("\nNot in order:")
        _print_rows(wrong)
    print("\n'renga plugins list KIND' lists one kind, '--all' all kinds, '--state unavailable' what is missing.")
    print("'renga plugins show NAME' shows all details of one plugin or provider, with its arguments.")


def _print_rows(found: Sequence[Row]) -> None:
    table = [(row.kind or "(plugin)", row.name or row.plugin, row.plugin, row.state, _detail(row)) for row in found]
    table.sort(key=lambda row: (row[0] != "(plugin)", row[0]))
    print_table(table, head=("KIND", "NAME", "PLUGIN", "STATE", "ABOUT"))
    states = Counter(str(row.state) for row in found)
    print(f"\n{len(found)} in all" + "".join(f", {count} {state}" for state, count in states.items()))


def _detail(row: Row) -> str:
    return f"{row.reason}. {row.next_step}".strip() if row.reason else row.summary


def _kind(word: str) -> Kind[Any]:
    """Return the kind with this name; `backend` also means `array_backend`, if no other kind ends like that."""
    kinds = get_manager().kinds()
    ends = [name for name in kinds if name.endswith(f"_{word}")]
    return get_manager().kind(ends[0] if word not in kinds and len(ends) == 1 else word)


def _kind_and_name(word: str) -> tuple[Kind[Any], list[str]]:
    """Return the kind in KIND, KIND:NAME or PLUGIN:NAME, and the name in a list, or an empty list."""
    first, colon, name = word.partition(":")
    if not colon:
        return _kind(word), []
    manager = get_manager()
    for kind in manager.kinds().values():
        if any(candidate.offer.full_name == word for candidate in Registry(kind, manager).list()):
            return kind, [word]
    return _kind(first), [name]


def _why(arguments: argparse.Namespace) -> int:
    with redirect_stdout(sys.stderr):
        kind, first = _kind_and_name(arguments.kind)
        wished = [*first, *arguments.names]
        names = wished[0] if len(wished) == 1 else wished or None
        offered = Registry(kind, get_manager())
        if offered.kind is ARRAY_BACKEND:
            _try_backends(explain(offered, names))
        reason = explain(offered, names, origin="command line", probe=True)
    if arguments.json:
        print_json(
            {
                "kind": reason.kind.name,
                "asked": reason.asked,
                "origin": reason.origin,
                "chosen": reason.selection.offer.full_name if reason.selection else None,
                "skipped": [skipped._asdict() for skipped in reason.selection.skipped] if reason.selection else [],
                "error": reason.error,
                "candidates": [
                    {"name": offer.full_name, "from": offer.plugin.origin, **status._asdict()}
                    for offer, status in reason.candidates
                ],
            }
        )
    else:
        print(reason)
    return 0 if reason.selection else 1


def _try_backends(reason: Explanation) -> None:
    """Load the requested backends until one works, as a run does, so that errors in loading are known."""
    from renga_core.backend import get_backend  # imports NumPy, which a list does not need

    for name in (reason.asked,) if isinstance(reason.asked, str) else reason.asked or ():
        with suppress(RengaPluginError):
            get_backend(name)
            return


def _show(arguments: argparse.Namespace) -> int:
    manager = get_manager()
    offered = [candidate for kind in manager.kinds().values() for candidate in Registry(kind, manager).list()]
    plugins = [plugin for plugin in manager.plugins() if arguments.name in plugin.names]
    named = [candidate for candidate in offered if arguments.name in _names(candidate.offer)]
    parts = [candidate for candidate in offered if candidate.offer.plugin in plugins]
    if not named and not plugins:
        known = [plugin.name for plugin in manager.plugins()] + [candidate.offer.name for candidate in offered]
        raise UnknownName(
            f"no plugin or provider is called '{arguments.name}'."
            f"{did_you_mean(arguments.name, known)}\nNext: list everything with `renga plugins list`."
        )
    problems = [problem for problem in manager.problems() if problem.plugin in plugins]
    if arguments.json:
        print_json(
            {
                "plugins": [_about_plugin(plugin) for plugin in plugins],
                "problems": [_about_problem(problem) for problem in problems],
                "providers": [_about_provider(candidate, whole=True) for candidate in named]
                + [_about_provider(candidate, whole=False) for candidate in parts if candidate not in named],
            }
        )
        return 0
    blocks = [_about_plugin(plugin) for plugin in plugins]
    blocks += [_about_problem(problem) for problem in problems]
    # For a plugin, list its providers in a line each. Show all details of providers with this name.
    blocks += [_about_provider(candidate, whole=True) for candidate in named]
    for number, block in enumerate(blocks):
        print("\n" * bool(number), end="")
        _print_block(block)
    if parts:
        print()
        table = [(offer.kind.name, offer.name, status.state, summary_of(offer)) for offer, status in parts]
        print_table(table, head=("KIND", "NAME", "STATE", "ABOUT"))
    return 0


def _names(offer: Offer) -> set[str]:
    """All names of a provider; `backend:numpy` and `array_backend:numpy` mean the same."""
    kind = offer.kind.name
    short = {offer.name, offer.full_name}
    return short | {f"{called}:{name}" for called in (kind, kind.rpartition("_")[2]) for name in short}


class UnknownName(RengaError):
    """No plugin or provider has this name."""

    exit_status = 2


def _print_block(block: dict[str, Any]) -> None:
    trace, arguments = block.pop("error", ""), block.pop("arguments", "")
    if isinstance(arguments, str):
        block["arguments"] = arguments
    print_table([(f"{label}:", str(value)) for label, value in block.items() if value not in ("", [])])
    if arguments and not isinstance(arguments, str):
        print()
        table = [(it["name"], it["type"], it["default"] or "(required)", it["about"]) for it in arguments]
        print_table(table, head=("ARGUMENT", "TYPE", "DEFAULT", "MEANING"))
    if trace:
        print(trace.rstrip())


def _about_plugin(plugin: Plugin) -> dict[str, Any]:
    return {
        "plugin": plugin.name,
        "from": plugin.origin,
        "imports": plugin.target,
        **_status(plugin),
        "error": _trace(plugin.error),
    }


def _about_problem(problem: Problem) -> dict[str, Any]:
    return {"hook": problem.hook, "plugin": problem.plugin.name, **_status(problem), "error": _trace(problem.error)}


def _status(culprit: Plugin | Problem) -> dict[str, str]:
    state, reason, next_step = culprit.status
    return {"state": str(state), "reason": reason, "next": next_step}


def _about_provider(candidate: Candidate, whole: bool) -> dict[str, Any]:
    """All details of a provider; `whole`: also its arguments, for which its target is imported."""
    offer, status = candidate
    provider = offer.provider
    return {
        "provider": offer.full_name,
        "kind": offer.kind.name,
        "about": summary_of(offer),
        "from": offer.plugin.origin,
        "target": provider.target,
        "revision": provider.revision,
        "needs": ", ".join(provider.needs),
        "capabilities": ", ".join(sorted(provider.capabilities)),
        "url": provider.url,
        "state": str(status.state),
        "reason": status.reason,
        "next": status.next_step,
        "arguments": _arguments(offer) if whole else "",
        "error": _trace(offer.error),
    }


def _arguments(offer: Offer) -> list[dict[str, str]] | str:
    """The arguments of a provider, or a text that says why they are unknown."""
    if offer.status.state is not State.READY:
        return f"not known while it is {offer.status.state}"
    try:
        with redirect_stdout(sys.stderr):
            return [argument._asdict() for argument in arguments_of(offer)]
    except BaseException as error:
        pass_interrupt(error)
        return f"not known: {offer.status.reason or describe_error(error)}"


def _trace(error: BaseException | None) -> str:
    return "".join(traceback.format_exception(error)) if error else ""
