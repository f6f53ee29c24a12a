"""Detect ranks whose parameters differ from the others, as after a bit flip or a wrong computation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from renga_core.communicator import CommunicatorBase
from renga_core.link import Link

__all__ = ["Verdict", "compare", "judge"]


@dataclass(frozen=True)
class Verdict:
    """The ranks with wrong parameters.

    Attributes:
        wrong: The rank numbers; empty if the correct ranks are unknown.
        sentence: The message.
    """

    wrong: tuple[int, ...]
    sentence: str


def judge(digests: Sequence[Hashable], finite: Sequence[bool], iteration: int) -> Verdict | None:
    """Compare the digests of all ranks; None if they are equal.

    Ranks with finite parameters are right; among these, the majority.

    Args:
        digests: Of each rank's parameters.
        finite: Whether each rank's parameters are finite.
        iteration: The iteration, for the message.
    """
    if len(set(digests)) == 1:
        return None
    candidates = [rank for rank in range(len(digests)) if finite[rank] or not any(finite)]
    (best, votes), *others = Counter(digests[rank] for rank in candidates).most_common()
    where = f"after iteration {iteration}"
    if others and others[0][1] == votes:
        return Verdict((), f"ranks have different parameters {where}, and it cannot be told which are right")
    wrong = tuple(rank for rank in range(len(digests)) if digests[rank] != best)
    numbers = f"rank{'s' if len(wrong) > 1 else ''} {', '.join(map(str, wrong))}"
    verb = "have" if len(wrong) > 1 else "has"
    if not all(finite[rank] for rank in wrong):
        return Verdict(wrong, f"{numbers} alone {verb} parameters that are not finite {where}")
    return Verdict(wrong, f"{numbers} {verb} other parameters than the other ranks {where}")


def compare(communicator: CommunicatorBase, links: Iterable[Link], digest: Hashable, iteration: int) -> Verdict | None:
    """Compare the parameters of all ranks, on a collective call; None if they are equal.

    Args:
        communicator: Between the ranks.
        links: The links whose parameters are compared.
        digest: Computes the digest of links.
        iteration: The completed iteration, for the message.
    """
    params = [param for link in links for param in link.params(include_uninit=False)]
    finite = all(bool(param.xp.isfinite(param.array).all()) for param in params)
    given = communicator.allgather_obj((digest, finite))
    return judge([each for each, _ in given], [is_finite for _, is_finite in given], iteration)
