"""Useful time when devices fail: checkpoint and restart, or recovery in place.

Failures of devices are assumed independent, with a constant rate (exponential times). Then the mean time between
failures of n devices is that of one, divided by n. Every device has the whole state, as in data-parallel training.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, sqrt

__all__ = ["MEASURED", "WAYS", "Failures", "Recovery", "best_interval", "checkpoint_efficiency", "predict_failures"]

MEASURED = {"spare": 0.10, "respawn": 0.43, "shrink": 0.05, "restart": 2.56}
"""Seconds from the death of a rank to the end of the first new iteration: medians of ``python -m benchmarks recovery``,
three ranks on one machine of two cores, a state of 22 MB. A spare process takes the place; all wait for a new process;
the others continue with fewer; all restart from a checkpoint. A large job needs more time, mainly to restart: pass your
own values.
"""

WAYS = ("checkpoint", "spare", "respawn", "shrink")
"""Restart from a checkpoint; a spare device replaces the failed one; all wait until the process of the device is
started again; the others continue until the device is repaired."""


@dataclass(frozen=True)
class Failures:
    """The rate of failures, and the cost of each way to continue.

    Attributes:
        mtbf: Mean time between failures of one device, in seconds. For 16384 H100 it was 50,000 hours (419
            interruptions in 54 days: Grattafiori et al., "The Llama 3 Herd of Models", arXiv:2407.21783, §3.3.4).
        state_bytes: The state of training: parameters and optimizer state.
        write: Bandwidth in bytes per second for writing a checkpoint, all devices together; computation stops
            meanwhile.
        read: Bandwidth for reading a checkpoint, all devices together.
        network: Bandwidth for sending the state to a new process.
        iteration: Seconds of an iteration. Recovery in place repeats half an iteration on average.
        vote: Seconds per iteration for the vote that all ranks have completed it.
        restart, spare, respawn, shrink: See `MEASURED`.
        repair: Seconds until a failed device is back, for `shrink`.

    Raises:
        ValueError: A number is negative, or one that must be positive is 0.
    """

    mtbf: float
    state_bytes: float
    write: float
    read: float
    network: float
    iteration: float
    vote: float = 8e-6
    restart: float = MEASURED["restart"]
    spare: float = MEASURED["spare"]
    respawn: float = MEASURED["respawn"]
    shrink: float = MEASURED["shrink"]
    repair: float = 3600.0

    def __post_init__(self) -> None:
        for name in ("mtbf", "write", "read", "network", "iteration"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be positive")
        for name in ("state_bytes", "vote", "restart", "spare", "respawn", "shrink", "repair"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative")


@dataclass(frozen=True)
class Recovery:
    """The time that a number of devices loses by failures.

    Attributes:
        devices: Number of devices.
        way: One of `WAYS`.
        efficiency: The fraction of the time in which all devices compute new iterations.
        interval: Optimal seconds between checkpoints; None in place.
        lost: Mean cost of a failure, in seconds.
        failures_per_day: Number of failures per day.
    """

    devices: int
    way: str
    efficiency: float
    interval: float | None
    lost: float
    failures_per_day: float


def best_interval(checkpoint: float, mtbf: float) -> float:
    """Return the seconds to compute between checkpoints that take `checkpoint` seconds, for jobs that fail each `mtbf`.

    J. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer
    Systems 22, 2006, equation 37; its first term is Young's √(2 C M), 1974.

    Raises:
        ValueError: `mtbf` is not positive, or `checkpoint` is negative.
    """
    if not mtbf > 0 or not checkpoint >= 0:
        raise ValueError(
            f"checkpoint is {checkpoint} s and mtbf {mtbf} s; checkpoint must be 0 or more, and mtbf must be positive"
        )
    ratio = checkpoint / (2 * mtbf)
    if ratio >= 1:
        return mtbf
    return sqrt(2 * checkpoint * mtbf) * (1 + sqrt(ratio) / 3 + ratio / 9) - checkpoint


def checkpoint_efficiency(interval: float, checkpoint: float, restart: float, mtbf: float) -> float:
    """Return the fraction of the time that is useful with a checkpoint after each `interval` seconds of computing.

    The exact mean for exponential failures, which may also occur while a checkpoint is written or while all are started
    again: Daly 2006, equation 20. An interval of 0 stands for continuous checkpoints without cost.
    """
    if interval == 0.0:
        return _redone(restart, mtbf)
    # e^(R/M) M (e^((τ+C)/M) - 1) seconds for τ useful ones; in logarithms, since long ones overflow.
    steps = (interval + checkpoint) / mtbf
    if steps + restart / mtbf > 700:
        return 0.0
    return interval / (mtbf * expm1(steps) * (1 + expm1(restart / mtbf)))


def predict_failures(failures: Failures, devices: int) -> list[Recovery]:
    """Return the lost time of `devices` devices, for each of `WAYS`.

    Raises:
        ValueError: `devices` is less than 1.
    """
    if devices < 1:
        raise ValueError(f"devices is {devices}; it must be at least 1")
    mtbf = failures.mtbf / devices
    per_day = 86400 / mtbf
    checkpoint = failures.state_bytes / failures.write
    restart = failures.restart + failures.state_bytes / failures.read
    interval = best_interval(checkpoint, mtbf)
    found = [
        Recovery(
            devices,
            "checkpoint",
            checkpoint_efficiency(interval, checkpoint, restart, mtbf),
            interval,
            restart + (interval + checkpoint) / 2,
            per_day,
        )
    ]
    voting = failures.iteration / (failures.iteration + failures.vote)
    transfer = failures.state_bytes / failures.network
    for way, seconds, there in (
        ("spare", failures.spare + transfer, 1.0),
        ("respawn", failures.respawn + transfer, 1.0),
        ("shrink", failures.shrink, failures.mtbf / (failures.mtbf + failures.repair)),
    ):
        lost = seconds + failures.iteration / 2
        found.append(Recovery(devices, way, voting * there * _redone(lost, mtbf), None, lost, per_day))
    return found


def _redone(lost: float, mtbf: float) -> float:
    """Return the useful fraction of time if each failure costs `lost` seconds, again if it is interrupted.

    If a recovery of L seconds must pass without a failure, it takes M (e^(L/M) - 1) on average. Between two recoveries,
    M seconds of work are done (renewal theorem).
    """
    return 0.0 if lost / mtbf > 700 else 1 / (1 + expm1(lost / mtbf))
