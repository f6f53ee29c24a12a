"""Conditions that a simulated run must fulfil, for any deaths.

Invariants (`violations`):

1. Termination: no rank waits for ever, and none ends with an error, unless all ranks with the state have died; or a
   rank with its own state and the next rank have both died before new replicas were made. If the group cannot continue
   with another number of ranks, it ends with an error exactly when no replacement is left.
2. After each iteration, parameters are the same on all ranks; for divided models, those of each part are the same on
  all ranks that had it.
3. Each example is used once in each epoch, by one rank, counting the attempts that were committed.
4. Each iteration is made once: none is skipped or counted twice.
5. The log has one line for each iteration, in order, with the same numbers as without deaths, no matter which rank
  wrote it.
6. Snapshots are the same on all ranks that take part.
7. The parameters are bit-identical to those of a run without deaths, after each iteration, as long as every dead rank
   was replaced. If a rank was not replaced, they are bit-identical to those of a run in which ranks left at this
   iteration; if ranks joined, they are equal up to rounding.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from renga_distributed.simulation.modes import EPOCHS, EXAMPLES, MODES
from renga_distributed.simulation.record import Case, Record
from renga_distributed.simulation.training import undisturbed

__all__ = ["violations"]

_SAME_UP_TO_ROUNDING = (
    "plain",
    "adam",
    "overlap",
    "synchronized_batch_normalization",
    "two_optimizers",
    "sharded",
    "sharded_adam",
    "sharded_overlap",
    "optimizer_accumulate",
)
"""Modes in which another number of ranks gives the same result."""


def violations(case: Case, record: Record) -> list[str]:
    """Return descriptions of the violated invariants; see the module."""
    outcome = record.outcome
    assert outcome is not None
    if outcome.problem is not None:
        return [f"termination: {outcome.problem}"]
    gone = _gone(case, record)
    lost = gone.issuperset(range(case.ranks))
    reasons = {
        number: _has_reason(case, record, str(error)) or (lost and "all ranks that had the state" in str(error))
        for number, error in outcome.errors.items()
    }
    found = [
        f"process {number} ended by {type(error).__name__}: {error}"
        for number, error in outcome.errors.items()
        if not reasons[number]
        and not (any(reasons.values()) and "has ended its program" in str(error))  # caused by the error of that process
    ]
    if found or (lost and not any(outcome.results.values())):
        return found
    if any(reasons.values()):
        return _same_everywhere(record) + _same_so_far(case, record)
    iterations = MODES[case.mode].iterations
    if sorted(record.parameters) != list(range(1, iterations + 1)):
        return [f"iterations: {sorted(record.parameters)} were made, not 1 to {iterations}"]
    found += _same_everywhere(record) + _each_example_once(case, record) + _log_is_complete(case, record)
    return found or _same_as_undisturbed(case, record)


def _gone(case: Case, record: Record) -> set[int]:
    """Processes that have died or were asked to leave."""
    assert record.outcome is not None
    dead = {int(death.split()[1]) for death in record.outcome.deaths}
    return dead | {fault.process for fault in case.faults if fault.kind == "leave"}


def _has_reason(case: Case, record: Record, error: str) -> bool:
    """Whether an error correctly reports that the run cannot continue."""
    gone, members = _gone(case, record), record.members or list(range(case.ranks))
    empty = [rank for rank, process in enumerate(members) if process in gone]
    if "and so did the next rank" in error:
        return any((rank + 1) % len(members) in empty for rank in empty)
    if "ranks have become" in error:
        waiting = set(range(case.ranks + case.spares)) - set(members) - gone
        leaving = any(fault.kind == "leave" for fault in case.faults)
        return MODES[case.mode].has_fixed_size and (leaving or case.newcomers > 0 or len(empty) > len(waiting))
    return False


def _same_everywhere(record: Record) -> list[str]:
    found = []
    for iteration, digests in record.parameters.items():
        parts = Counter(part for part, _ in digests)
        if different := [count for count in parts.values() if count > 1]:
            found.append(f"parameters: after iteration {iteration} ranks have {max(different)} different ones")
    for iteration, tuples in record.snapshots.items():
        if any(len(set(digests)) > 1 for digests in tuples):
            found.append(f"snapshot: the snapshots of iteration {iteration} differ between ranks: {tuples}")
    return found


def _each_example_once(case: Case, record: Record) -> list[str]:
    found = []
    mode = MODES[case.mode]
    per_epoch = EXAMPLES // mode.batch
    for epoch in range(EPOCHS):
        used: list[int] = []
        for iteration in range(epoch * per_epoch + 1, (epoch + 1) * per_epoch + 1):
            for rank in range(1 if mode.stages else record.sizes.get(iteration, 0)):
                used += record.used.get((iteration, rank), [])
        if sorted(used) != list(range(EXAMPLES)):
            found.append(f"examples: epoch {epoch + 1} used {sorted(used)}, not each of {EXAMPLES} once")
    return found


def _log_is_complete(case: Case, record: Record) -> list[str]:
    lines = [entry["iteration"] for entry in record.log]
    return (
        []
        if lines == list(range(1, MODES[case.mode].iterations + 1))
        else [f"log: its lines are of iterations {lines}"]
    )


def _same_as_undisturbed(case: Case, record: Record) -> list[str]:
    iterations = range(1, MODES[case.mode].iterations + 1)
    sizes = [record.sizes[iteration] for iteration in iterations]
    falling = all(after <= before for before, after in zip([case.ranks, *sizes], sizes, strict=False))
    if falling:
        steps = zip(iterations, [sizes[0], *sizes], sizes, strict=False)
        leaving = tuple((iteration, after) for iteration, before, after in steps if after < before)
        reference = undisturbed(case.mode, sizes[0], leaving)
        if MODES[case.mode].collects > 1 and _falls_twice(sizes):
            return _same_up_to_rounding(record, reference) or _same_log(record, reference)
        # For a part of a model, the replacement may record nothing in an iteration.
        if different := [i for i, digests in record.parameters.items() if not digests <= reference.parameters[i]]:
            first = min(different)
            return [f"bit-identity: parameters differ from iteration {first} on; sizes of the group {sizes}"]
    elif case.mode in _SAME_UP_TO_ROUNDING:
        reference = undisturbed(case.mode, case.ranks)
        if found := _same_up_to_rounding(record, reference):
            return found
    else:
        return []
    return _same_log(record, reference)


def _falls_twice(sizes: list[int]) -> bool:
    """Whether several ranks may have died in one iteration: then gradients are summed in another order."""
    return any(before - after > 1 for before, after in pairwise(sizes))


def _same_up_to_rounding(record: Record, reference: Record) -> list[str]:
    for path, array in reference.values.items():
        if not np.allclose(array, record.values[path], rtol=1e-6, atol=1e-9):
            return [f"parameters: {path} differs from the undisturbed run's by more than rounding"]
    return []


def _same_so_far(case: Case, record: Record) -> list[str]:
    """Compare a run that ended early, if the size of its group has not changed."""
    if set(record.sizes.values()) - {case.ranks}:
        return []
    reference = undisturbed(case.mode, case.ranks).parameters
    for iteration, digests in sorted(record.parameters.items()):
        if not digests <= reference[iteration]:
            return [f"bit-identity: parameters differ from iteration {iteration} on, before the run ended"]
    return []


def _same_log(record: Record, reference: Record) -> list[str]:
    for mine, other in zip(record.log, reference.log, strict=True):
        for key in (mine.keys() | other.keys()) - {"elapsed_time"}:
            if key not in mine or key not in other or not np.allclose(mine[key], other[key], rtol=1e-6, atol=1e-9):
                return [f"log: {key} of iteration {mine['iteration']} is {mine.get(key)}, not {other.get(key)}"]
    return []
