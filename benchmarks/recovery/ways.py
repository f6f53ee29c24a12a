"""How to start a job of each library, and what continues when a rank dies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["RANKS", "WAYS", "Way"]

RANKS = 3
_PROGRAMS = Path(__file__).parent / "programs"
_FOREVER = "1000000"


@dataclass(frozen=True)
class Way:
    """One row of the page.

    Attributes:
        title: Title in tables.
        library: The library whose Python it needs (`benchmarks.environments`).
        program: Its file in `programs/`.
        launcher: Command before the program: ``{python}`` is the interpreter, ``{kills}`` the number of deaths.
        environment: Variables that it needs.
    """

    title: str
    library: str
    program: str
    launcher: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    def command(self, python: str, kills: int) -> list[str]:
        """What starts the job."""
        start = [part.format(python=python, kills=kills) for part in self.launcher]
        return [*start, str(_PROGRAMS / f"{self.program}.py"), _FOREVER]


_RENGA = ("{python}", "-m", "renga", "launch", "-n", str(RANKS))
_TORCHRUN = ("{python}", "-m", "torch.distributed.run", "--nproc-per-node", str(RANKS), "--max-restarts", "100")
_REPLICAS = ("{python}", "-m", "benchmarks.recovery.replicas", "{python}")

WAYS = {
    "renga-spare": Way(
        "Renga, a spare takes the place",
        "renga",
        "with_renga",
        (*_RENGA, "--fault-tolerant", "--spares", "{kills}"),
    ),
    "renga-shrink": Way("Renga, the others continue with fewer", "renga", "with_renga", (*_RENGA, "--fault-tolerant")),
    "renga-respawn": Way(
        "Renga, all wait for a new process",
        "renga",
        "with_renga",
        (*_RENGA, "--fault-tolerant", "--respawn", "{kills}", "--wait"),
    ),
    "renga-restart": Way(
        "Renga, all restart from the last checkpoint (every 10 iterations)",
        "renga",
        "with_renga_restart",
        ("{python}", "-m", "benchmarks.recovery.again", *_RENGA),
    ),
    "torchrun": Way(
        "torchrun, all restart from the last checkpoint (every 10 iterations)",
        "torch",
        "with_torchrun",
        (*_TORCHRUN, "--standalone"),
        # Without it, stale keys in the store keep most jobs from starting again (PyTorch's issue 135712).
        {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
    ),
    "torchft": Way(
        "torchft, heartbeat 5 s (its default)", "torchft", "with_torchft", _REPLICAS, {"RECOVERY_HEARTBEAT_MS": "5000"}
    ),
    "torchft-1s": Way(
        "torchft, heartbeat 1 s", "torchft", "with_torchft", _REPLICAS, {"RECOVERY_HEARTBEAT_MS": "1000"}
    ),
}
