"""Ranks whose parameters are not those of the others: after a bit flip, or a computation that went wrong on one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from renga_core.communicator import CommunicatorBase
from renga_core.link import Link

__all__ = ["Verdict", "compare", "judge"]


@dataclass(frozen=True)
class Verdict:
    """Which ranks are wrong.

    Attributes:
        wrong: Their numbers; none if it cannot be told which ranks are right.
        sentence: What there is to say.
    """

    wrong: tuple[int, ...]
    sentence: str


def judge(digests: Sequence[Hashable], finite: Sequence[bool], iteration: int) -> Verdict | None:
    """Compare what all ranks have found; None if all are the same.

    Those are right who are finite where others are not, and of these the majority.

    Args:
        digests: Of each rank's parameters.
        finite: Whether they are.
        iteration: For the sentence.
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
    """Compare the parameters of all ranks, which all call this; None if they are the same.

    Args:
        communicator: Between the ranks.
        links: With the parameters.
        digest: Of them.
        iteration: After which this is; for the sentence.
    """
    params = [param for link in links for param in link.params(include_uninit=False)]
    finite = all(bool(param.xp.isfinite(param.array).all()) for param in params)
    given = communicator.allgather_obj((digest, finite))
    return judge([each for each, _ in given], [is_finite for _, is_finite in given], iteration)
