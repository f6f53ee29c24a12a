"""One network in one precision: Renga, eager and captured, and PyTorch, eager and compiled, in turns.

python -m benchmarks.gpu.parts.side_by_side NETWORK PRECISION
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from benchmarks.gpu.networks import NETWORKS, renga_step, torch_step
from benchmarks.gpu.parts.reporting import emit, require_gpu
from benchmarks.gpu.timing import Contestant, Workload, race

WARMUP = 5
ROUNDS = 12


def main() -> None:
    name, precision = sys.argv[1:]
    require_gpu()
    from benchmarks.gpu import instruments
    from benchmarks.gpu.command import _finished

    network = NETWORKS[name]
    makers: dict[str, Callable[[], Any]] = {
        "renga": lambda: renga_step(network, "cupy:0", precision),
        "renga, captured": lambda: renga_step(network, "cupy:0", precision, capture=True),
        "torch": lambda: torch_step(network, "cuda", precision),
        "torch.compile": lambda: torch_step(network, "cuda", precision, compiled=True),
    }
    contestants, memory = [], {}
    for library, make in makers.items():
        instruments.release()
        before = instruments.memory_taken()
        try:
            step = make()
            for _ in range(WARMUP):
                step()
        except Exception as error:
            emit(network=name, precision=precision, library=library, problem=f"{type(error).__name__}: {error}"[:400])
            continue
        memory[library] = instruments.memory_taken() - before
        contestants.append(Contestant(library, _finished(step)))
    race(Workload(name, contestants), ROUNDS, seconds_a_round=0.3)
    for c in contestants:
        emit(
            network=name,
            precision=precision,
            library=c.library,
            milliseconds=round(c.minimum * 1e3, 3),
            per_second=round(network.items / c.minimum, 1),
            unit=network.unit,
            mebibytes=round(memory[c.library] / 2**20),
        )


if __name__ == "__main__":
    main()
