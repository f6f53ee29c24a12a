"""How the loops of a group run one after the other, and where they keep what lies between them."""

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
        loops: Several that one thread runs, or one that threads share.
        pieces: Into how many the one is cut; 1: one thread does all.
        merged: Sums of the stage before, whose parts are added up first.
        parts: How many these have.
    """

    loops: list[Loop] = field(default_factory=list)
    pieces: int = 1
    merged: list[Reduction] = field(default_factory=list)
    parts: int = 1


def stages_of(loops: Iterable[Loop], specs: Mapping[str, Spec]) -> list[Stage]:
    """The stages in which loops run."""
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
    """Where in one piece of memory arrays lie that live for some stages; and its size.

    Arrays that are never needed at once may share a place.

    Args:
        uses: For each stage the arrays that it uses, with their sizes in bytes.
    """
    needed: dict[str, Needed] = {}
    for number, used in enumerate(uses):
        for name, size in used.items():
            first = needed[name].first if name in needed else number
            needed[name] = Needed(size, first, number)
    begins, size = packed(list(needed.values()))
    return dict(zip(needed, begins, strict=True)), size
