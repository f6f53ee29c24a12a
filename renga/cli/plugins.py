"""`renga plugins`: what is installed, in what state, and why something is chosen."""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Sequence
from typing import Any

from renga_core.errors import RengaError, did_you_mean
from renga_core.plugin import Candidate, Kind, Plugin, Problem, Registry, get_manager
from renga_core.plugin.report import Row, rows

from .output import print_json, print_table
from .parser import Parser

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga plugins list | show NAME | why KIND [NAME …]``."""
    arguments = _parser().parse_all(argv)
    handler: Any = arguments.handler
    return int(handler(arguments))


def _parser() -> Parser:
    parser = Parser("renga plugins", "Tell what plugins are installed, what they offer, and what is chosen.")
    commands = parser.add_subparsers(metavar="list | show | why", required=True)
    listing = commands.add_parser("list", description="List all that plugins offer, and its state.")
    listing.set_defaults(handler=_list)
    listing.add_argument("kind", nargs="?", metavar="KIND", help="only this kind: optimizer, model, …")
    show = commands.add_parser("show", description="Show all about a plugin, or about a thing that plugins offer.")
    show.set_defaults(handler=_show)
    show.add_argument("name", metavar="NAME", help="a plugin, a provider (adam), or its full name (optimizers:adam)")
    why = commands.add_parser("why", description="Tell what is chosen of a kind, and why.")
    why.set_defaults(handler=_why)
    why.add_argument("kind", metavar="KIND", help="array_backend, optimizer, …")
    why.add_argument("names", nargs="*", metavar="NAME", help="as if this were asked for; several are a list of wishes")
    for command in (listing, show, why):
        command.add_argument("--json", action="store_true", help="write JSON, for programs")
    return parser


def _list(arguments: argparse.Namespace) -> int:
    found = rows()
    if arguments.kind:
        kind = _kind(arguments.kind).name
        found = [row for row in found if row.kind == kind]
    if arguments.json:
        print_json([row._asdict() for row in found])
        return 0
    table = [(row.kind or "(plugin)", row.name or row.plugin, row.plugin, row.state, _detail(row)) for row in found]
    print_table(sorted(table, key=lambda row: row[0] != "(plugin)"), head=("KIND", "NAME", "PLUGIN", "STATE", "ABOUT"))
    return 0


def _detail(row: Row) -> str:
    return f"{row.reason}. {row.next_step}".strip() if row.reason else row.summary


def _kind(word: str) -> Kind[Any]:
    """Return the kind called so; `backend` will do for `array_backend` while no other kind ends like that."""
    kinds = get_manager().kinds()
    ends = [name for name in kinds if name.endswith(f"_{word}")]
    return get_manager().kind(ends[0] if word not in kinds and len(ends) == 1 else word)


def _why(arguments: argparse.Namespace) -> int:
    names = arguments.names[0] if len(arguments.names) == 1 else arguments.names or None
    reason = Registry(_kind(arguments.kind), get_manager()).why(names, origin="command line")
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


def _show(arguments: argparse.Namespace) -> int:
    manager = get_manager()
    offered = [candidate for kind in manager.kinds().values() for candidate in Registry(kind, manager).list()]
    plugins = [plugin for plugin in manager.plugins() if arguments.name in (plugin.name, plugin.entry_point)]
    found = [
        candidate
        for candidate in offered
        if arguments.name in (candidate.offer.name, candidate.offer.full_name) or candidate.offer.plugin in plugins
    ]
    if not found and not plugins:
        known = [plugin.name for plugin in manager.plugins()] + [candidate.offer.name for candidate in offered]
        raise UnknownName(
            f"no plugin, and nothing that one offers, is called '{arguments.name}'."
            f"{did_you_mean(arguments.name, known)}\nNext: `renga plugins list` shows all there is."
        )
    problems = [problem for problem in manager.problems() if problem.plugin in plugins]
    if arguments.json:
        print_json(
            {
                "plugins": [_about_plugin(plugin) for plugin in plugins],
                "problems": [_about_problem(problem) for problem in problems],
                "providers": [_about_provider(candidate) for candidate in found],
            }
        )
        return 0
    blocks = [_about_plugin(plugin) for plugin in plugins]
    blocks += [_about_problem(problem) for problem in problems]
    # Of a plugin its providers in a line each; asked for by name, all about them.
    if not plugins:
        blocks += [_about_provider(candidate) for candidate in found]
    for number, block in enumerate(blocks):
        print("\n" * bool(number), end="")
        _print_block(block)
    if plugins and found:
        print()
        table = [(offer.kind.name, offer.name, status.state, offer.summary) for offer, status in found]
        print_table(table, head=("KIND", "NAME", "STATE", "ABOUT"))
    return 0


class UnknownName(RengaError):
    """Neither a plugin nor a provider has this name."""

    exit_status = 2


def _print_block(block: dict[str, Any]) -> None:
    trace = block.pop("error", "")
    print_table([(f"{label}:", str(value)) for label, value in block.items() if value not in ("", [])])
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


def _about_provider(candidate: Candidate) -> dict[str, Any]:
    offer, status = candidate
    provider = offer.provider
    return {
        "provider": offer.full_name,
        "kind": offer.kind.name,
        "about": offer.summary,
        "from": offer.plugin.origin,
        "target": provider.target,
        "revision": provider.revision,
        "needs": ", ".join(provider.needs),
        "capabilities": ", ".join(sorted(provider.capabilities)),
        "url": provider.url,
        "state": str(status.state),
        "reason": status.reason,
        "next": status.next_step,
        "error": _trace(offer.error),
    }


def _trace(error: BaseException | None) -> str:
    return "".join(traceback.format_exception(error)) if error else ""
