"""`renga scale-model`: predict the time of an iteration on more devices before using them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import TypeVar

from renga.distributed import scale_model as model
from renga_core.command_line import Parser, UsageError, word
from renga_core.errors import did_you_mean
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry

from . import scale_model_failures as failing
from .numbers import count, number, positive
from .output import print_json, print_table

__all__ = ["run"]

T = TypeVar("T")
HEAD = ("DEVICES", "ITERATION", "COMPUTE", "COMMUNICATION", "NOT HIDDEN", "EFFICIENCY")


def run(argv: Sequence[str]) -> int:
    """Run ``renga scale-model --compute MS [options]``, ``--published`` or ``--calibrate COMMUNICATOR``."""
    arguments = _parser().parse_all(argv)
    if arguments.published:
        _print_published(arguments.json)
    elif arguments.calibrate is not None:
        _calibrate(arguments.calibrate, arguments.json)
    elif arguments.compute is None:
        raise UsageError("give the time of an iteration on one device: --compute MS. See 'renga scale-model -h'.")
    else:
        _predict(arguments)
    return 0


def _parser() -> Parser:
    parser = Parser(
        "renga scale-model",
        "Predict the time of an iteration of data-parallel training, and how much of it is communication, from the "
        f"time on one device. A LINK is one of {', '.join(model.LINKS)}; or LATENCY,BANDWIDTH in µs and GB/s.",
    )
    what = parser.add_argument_group("what is trained")
    size = what.add_mutually_exclusive_group()
    size.add_argument(
        "--model", type=_one_of(model.MODELS), default="resnet50", metavar="NAME", help="default: resnet50"
    )
    size.add_argument(
        "--parameters", type=count, metavar="N", help="number of parameters, for a model that is not listed"
    )
    what.add_argument(
        "--compute", type=positive, metavar="MS", help="time of forward and backward on one device, without the update"
    )
    what.add_argument(
        "--forward", type=number, metavar="MS", help="part of that time before backward begins (default: a third)"
    )
    what.add_argument(
        "--jitter",
        type=number,
        default=0.0,
        metavar="X",
        help="relative standard deviation of that time (default: 0)",
    )
    where = parser.add_argument_group("where")
    where.add_argument(
        "--devices",
        type=_list_of(count),
        default=[2**k for k in range(15)],
        metavar="N,…",
        help="numbers of devices (default: 1,2,4,… up to 16384)",
    )
    where.add_argument(
        "--devices-per-node", type=count, default=8, metavar="N", help="devices in one node (default: 8)"
    )
    where.add_argument(
        "--intra", type=_link, default="pcie3", metavar="LINK", help="link between devices of a node (default: pcie3)"
    )
    where.add_argument(
        "--inter", type=_link, default="ethernet_10g", metavar="LINK", help="link between nodes (default: ethernet_10g)"
    )
    how = parser.add_argument_group("options to compare; separate several values by commas")
    for option, known in (
        ("--algorithm", model.ALGORITHMS),
        ("--dtype", model.WIRE_DTYPES),
        ("--schedule", model.SCHEDULES),
    ):
        default = model.Step.__dataclass_fields__[option.removeprefix("--")].default
        told = f"{', '.join(known)}: {default}"
        how.add_argument(option, type=_list_of(_one_of(known)), default=[default], metavar="NAME,…", help=told)
    how.add_argument(
        "--bucket",
        type=positive,
        default=25.0,
        metavar="MIB",
        help="size of a bucket of gradients in schedule overlap (default: 25)",
    )
    failing.add_arguments(parser)
    parser.add_argument("--plot", type=word, metavar="FILE", help="also draw the curves: .png, .svg or .pdf")
    parser.add_argument("--published", action="store_true", help="print published measurements beside the predictions")
    parser.add_argument(
        "--calibrate",
        type=word,
        metavar="COMMUNICATOR",
        help="measure the links of this machine first; needs renga launch -n 2",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


# --- predictions ------------------------------------------------------------------------------------------------------


def _predict(arguments: argparse.Namespace) -> None:
    cluster = model.Cluster(arguments.intra, arguments.inter, arguments.devices_per_node)
    steps = dict(_steps(arguments))
    curves = {
        name: [model.predict(step, cluster, devices) for devices in arguments.devices] for name, step in steps.items()
    }
    losses = {name: failing.predict(arguments, curves[name], step.parameters) for name, step in steps.items()}
    if arguments.plot is not None:
        model.draw(curves, arguments.plot, losses if arguments.mtbf is not None else None)
    if arguments.json:
        print_json(
            [
                {"curve": name, **asdict(one), "exposed": one.exposed, **_json(losses[name], place)}
                for name, predictions in curves.items()
                for place, one in enumerate(predictions)
            ]
        )
        return
    for place, (name, predictions) in enumerate(curves.items()):
        print("\n" * (place > 0) + f"{name}\n")
        print_table([_row(prediction) for prediction in predictions], head=HEAD)
    failing.print_failures(losses)
    if arguments.plot is not None:
        print(f"\nwritten: {arguments.plot}")


def _json(losses: Sequence[Sequence[model.Recovery]], place: int) -> dict[str, object]:
    """What failures cost, for each strategy, if failures are modelled."""
    return {"failures": {each.way: asdict(each) for each in losses[place]}} if losses else {}


def _steps(arguments: argparse.Namespace) -> Iterator[tuple[str, model.Step]]:
    """The settings to predict for, by names that distinguish them."""
    compute = arguments.compute / 1e3
    forward = compute / 3 if arguments.forward is None else arguments.forward / 1e3
    if forward > compute:
        raise UsageError(f"--forward is {arguments.forward:g} ms, more than --compute, {arguments.compute:g} ms")
    parameters = model.MODELS[arguments.model] if arguments.parameters is None else arguments.parameters
    step = model.Step(parameters, forward, compute - forward, jitter=arguments.jitter)
    step = replace(step, bucket_bytes=arguments.bucket * 2**20)
    for algorithm, dtype, schedule in product(arguments.algorithm, arguments.dtype, arguments.schedule):
        yield (
            f"{algorithm}, {dtype}, {schedule}",
            replace(step, algorithm=algorithm, dtype=dtype, schedule=schedule),
        )


def _row(prediction: model.Prediction) -> tuple[str, ...]:
    times = (prediction.iteration, prediction.compute, prediction.communication, prediction.exposed)
    return f"{prediction.devices}", *(f"{time * 1e3:.1f} ms" for time in times), f"{prediction.efficiency:.1%}"


# --- what others measured ---------------------------------------------------------------------------------------------


def _print_published(as_json: bool) -> None:
    rows = model.published()
    if as_json:
        print_json([{**asdict(row), "ratio": row.ratio} for row in rows])
        return
    _print_markdown(
        ("what", "published", "model", "ratio", "", "assumptions", "source"),
        [
            (
                row.what,
                _figure(row.published, row.unit),
                _figure(row.model, row.unit),
                f"{row.ratio:.2f}",
                "calibration" if row.calibration else "prediction",
                row.assumptions,
                row.source,
            )
            for row in rows
        ],
    )
    print()
    _print_markdown(("constant", "value", "from"), model.CONSTANTS)


def _figure(value: float, unit: str) -> str:
    return f"{value:.1%}" if unit == "%" else f"{value:.3g} {unit}"


def _print_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for cells in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(cells)} |")


# --- measured here ----------------------------------------------------------------------------------------------------


def _calibrate(name: str, as_json: bool) -> None:
    communicator = registry(COMMUNICATOR).load(name, origin="--calibrate")()
    try:
        if communicator.size < 2:
            raise UsageError(
                f"communicator '{name}' has only one process, so there is no link to measure. "
                "Start several: renga launch -n 2 renga scale-model --calibrate NAME."
            )
        found = model.calibrate(communicator)
        if communicator.rank == 0:
            _print_calibration(found, as_json)
    finally:
        communicator.finalize()


def _print_calibration(found: model.Calibration, as_json: bool) -> None:
    if as_json:
        print_json(asdict(found))
        return
    fits = {"inside a node": found.intra, "between nodes": found.inter, "all-reduce, as a ring": found.allreduce}
    rows = []
    for what, fit in fits.items():
        if fit is not None:
            microseconds, gigabytes = fit.link.latency * 1e6, fit.link.bandwidth / 1e9
            option = f"{_short(microseconds)},{_short(gigabytes)}"
            rows.append((what, f"{_short(microseconds)} µs", f"{_short(gigabytes)} GB/s", f"{fit.error:.0%}", option))
    print_table(rows, head=("LINK", "LATENCY", "BANDWIDTH", "ERROR OF FIT", "FOR --intra OR --inter"))


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 1000 else f"{number:.3g}"


# --- words of the command line ----------------------------------------------------------------------------------------


def _one_of(known: Mapping[str, object] | Sequence[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(f"no '{text}'.{did_you_mean(text, known)} Known: {', '.join(known)}")
        return text

    return read


def _list_of(read: Callable[[str], T]) -> Callable[[str], list[T]]:
    return lambda text: [read(part.strip()) for part in text.split(",")]


def _link(text: str) -> model.Link:
    latency, comma, bandwidth = text.partition(",")
    if comma:
        return model.Link(number(latency) / 1e6, positive(bandwidth) * 1e9)
    return model.LINKS[_one_of(model.LINKS)(text)]
