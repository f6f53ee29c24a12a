"""The part of `renga scale-model` that models failures of devices."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from renga.distributed import scale_model as model
from renga_core.command_line import Parser

from .numbers import count, number, positive
from .output import print_table

__all__ = ["HEAD", "add_arguments", "predict", "print_failures"]

HEAD = ("DEVICES", "FAILURES A DAY", "CHECKPOINT EVERY", *(f"EFFICIENCY, {way.upper()}" for way in model.WAYS))


def add_arguments(parser: Parser) -> None:
    """Add the arguments for how often devices fail and how much time a failure costs."""
    group = parser.add_argument_group("failures: compare restarting from checkpoints with recovery in place")
    measured = model.MEASURED
    group.add_argument(
        "--mtbf", type=positive, metavar="HOURS", help="mean time between failures of one device; 50000 for an H100"
    )
    group.add_argument(
        "--bytes-per-parameter",
        type=count,
        default=12,
        metavar="N",
        help="bytes of state per parameter (default: 12, for float32 and the two moments of Adam)",
    )
    group.add_argument(
        "--storage",
        type=positive,
        default=2.0,
        metavar="GB/S",
        help="total bandwidth to and from the storage of checkpoints (default: 2)",
    )
    for option, what in (
        ("restart", "restart all processes, without reading the checkpoint"),
        ("spare", "replace a process by a spare"),
        ("respawn", "start one process while the others wait"),
    ):
        group.add_argument(
            f"--{option}",
            type=number,
            default=measured[option],
            metavar="S",
            help=f"time to {what} (default: {measured[option]:g}, measured with three processes)",
        )
    group.add_argument(
        "--repair",
        type=number,
        default=1.0,
        metavar="HOURS",
        help="time until a failed device is back, while the others continue (default: 1)",
    )


def predict(
    arguments: argparse.Namespace, predictions: Sequence[model.Prediction], parameters: int
) -> list[list[model.Recovery]]:
    """What each number of devices loses by failures, for each strategy; empty without ``--mtbf``."""
    if arguments.mtbf is None:
        return []
    return [
        model.predict_failures(
            model.Failures(
                mtbf=arguments.mtbf * 3600,
                state_bytes=parameters * arguments.bytes_per_parameter,
                write=arguments.storage * 1e9,
                read=arguments.storage * 1e9,
                network=arguments.inter.bandwidth,
                iteration=each.iteration,
                restart=arguments.restart,
                spare=arguments.spare,
                respawn=arguments.respawn,
                repair=arguments.repair * 3600,
            ),
            each.devices,
        )
        for each in predictions
    ]


def print_failures(found: Mapping[str, Sequence[Sequence[model.Recovery]]]) -> None:
    """Print a table for each curve: efficiencies with failures, beside those of communication alone."""
    for name, rows in found.items():
        if rows:
            print(f"\n{name}: with failures\n")
            print_table([_row(row) for row in rows], head=HEAD)


def _row(row: Sequence[model.Recovery]) -> tuple[str, ...]:
    first = row[0]
    interval = "-" if first.interval is None else _duration(first.interval)
    return (
        f"{first.devices}",
        f"{first.failures_per_day:.3g}",
        interval,
        *(f"{each.efficiency:.3%}" for each in row),
    )


def _duration(seconds: float) -> str:
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
