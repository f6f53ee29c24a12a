"""Record and replay: a step whose graph is the same in each call, run without building it.

- `compiled`: `compile`, `CompiledStep`, which users call; when a call is recorded, replayed, or an ordinary one.
- `recorder`: running a step and noting what it does. `unread`: the arrays that it sees meanwhile.
- `program`: what was noted, as lines of Python; comparing and running them.
- `effects`: `again`, for authors of functions that change something beside their result.

What it gains, and what it asks of a step: docs/explanation/performance.md.
"""

from renga_core.replay.compiled import CompiledStep, compile
from renga_core.replay.effects import again

__all__ = ["CompiledStep", "again", "compile"]
