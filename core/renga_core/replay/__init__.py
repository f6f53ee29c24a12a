"""Record and replay: a step whose graph is the same in each call, run without building it.

- `compiled`: `compile`, `CompiledStep`, which users call; when a call is recorded, replayed, or an ordinary one.
- `recorder`: running a step and noting what it does. `unread`: the arrays that it sees meanwhile.
- `program`: what was noted, as lines of Python; comparing and running them.
- `effects`: `again`, for authors of functions that change something beside their result.

What it gains, and what it asks of a step: docs/explanation/performance.md. All but `again` is imported when it is first
used: functions need that one, and few programs the rest.
"""

from typing import TYPE_CHECKING, Any

from renga_core.replay.effects import again

if TYPE_CHECKING:
    from renga_core.replay.compiled import CompiledStep, compile

__all__ = ["CompiledStep", "again", "compile"]


def __getattr__(name: str) -> Any:
    if name in ("CompiledStep", "compile"):
        from renga_core.replay import compiled

        return getattr(compiled, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
