"""The order of the loops of a group, and the memory of arrays between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from renga_backend_numpy.lifetimes import Needed, packed
from renga_compile.fused.loops import Axes, Loop
from renga_compile.fused.statements import Reduction, Spec

__all__ = ["Stage", "places", "stages_of"]


@dataclass
class Stage:
    """Loops that run without waiting for other threads.

    Attributes:
        loops: Several loops that one thread runs, or one loop that threads share.
        pieces: Number of pieces of the shared loop; 1: one thread runs everything.
        merged: Sums of the previous stage, whose parts are added first.
        parts: Number of parts of these sums.
    """

    loops: list[Loop] = field(default_factory=list)
    pieces: int = 1
    merged: list[Reduction] = field(default_factory=list)
    parts: int = 1


def stages_of(loops: Iterable[Loop], specs: Mapping[str, Spec]) -> list[Stage]:
    """Divide loops into stages."""
    stages: list[Stage] = []
    for loop in loops:
        pieces = loop.pieces(specs)
        if pieces > 1:
            axes = Axes(loop)
            stages.append(Stage([loop], pieces))
            sums = [each for each in loop.statements if isinstance(each, Reduction)]
            apart = [each for each in sums if not axes.grouped(each.kept)[0]]
            if apart:
                stages.append(Stage(merged=apart, parts=pieces))
        elif stages and stages[-1].pieces == 1:
            stages[-1].loops.append(loop)
        else:
            stages.append(Stage([loop]))
    return stages


def places(uses: Sequence[Mapping[str, int]]) -> tuple[dict[str, int], int]:
    """The offsets of temporary arrays in one block of memory, and the size of the block.

    Arrays that are never needed at the same time may share memory.

    Args:
        uses: For each stage, the arrays that it uses, with their sizes in bytes.
    """
    needed: dict[str, Needed] = {}
    for number, used in enumerate(uses):
        for name, size in used.items():
            first = needed[name].first if name in needed else number
            needed[name] = Needed(size, first, number)
    begins, size = packed(list(needed.values()))
    return dict(zip(needed, begins, strict=True)), size
