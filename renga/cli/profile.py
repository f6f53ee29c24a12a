"""`renga profile`: measure where the time of a training step goes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

from renga.function_hooks import ProfileHook
from renga.run import Training, build, describe, read_run, shipped_runs
from renga.run.results import check_file
from renga.run.shipped import DEFAULT_RUN
from renga_core.command_line import Parser, assignment, word
from renga_core.settings import using_command_line, using_run_file

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga profile [FILE.toml | NAME] [options]``."""
    arguments = _parser().parse_all(argv)
    words = {key: (f"--set {key}", value) for key, value in arguments.set}
    if arguments.backend is not None:
        words["run.backend"] = ("--backend", arguments.backend)
    for path in arguments.trace, arguments.stacks:
        if path is not None:
            check_file(path)
    with ExitStack() as layers:
        layers.enter_context(using_run_file(read_run(arguments.run)))
        layers.enter_context(using_command_line(words))
        training = build(describe())
        repeat = _evaluation(training) if arguments.evaluation else training.trainer.updater.update
        count = 1 if arguments.evaluation else arguments.steps
        with training.trainer.reporter.scope({}):
            _report(training, repeat, count, arguments)
    return 0


def _report(training: Training, repeat: Any, count: int, arguments: argparse.Namespace) -> None:
    for _ in range(1 if arguments.evaluation else arguments.warmup):
        repeat()
    plain = _milliseconds(repeat, count, training)
    with ProfileHook() as profile, _sections(training, profile):
        profiled = _milliseconds(repeat, count, training)
    what = "one evaluation" if arguments.evaluation else f"a training step, mean of {count}"
    print(f"{what}: {plain:.3f} ms; profiled, {profiled:.3f} ms, of which\n")
    profile.print_report(arguments.by, steps=count)
    for path, save in ((arguments.trace, profile.save_trace), (arguments.stacks, profile.save_stacks)):
        if path is not None:
            save(path)
            print(f"\nwritten: {path}")


def _parser() -> Parser:
    names = ", ".join(shipped_runs())
    parser = Parser(
        "renga profile",
        "Measure where the time of a training step goes, by function or by link, and write a trace for a viewer. "
        f"Nothing else is written. Run files that come with Renga: {names}.",
    )
    parser.add_argument(
        "run", nargs="?", default=DEFAULT_RUN, metavar="FILE.toml | NAME", help=f"default: {DEFAULT_RUN}"
    )
    parser.add_argument(
        "--steps", type=_count, default=20, metavar="N", help="number of updates to measure (default: 20)"
    )
    parser.add_argument(
        "--warmup", type=_count, default=3, metavar="N", help="number of updates before measuring begins (default: 3)"
    )
    parser.add_argument(
        "--evaluation", action="store_true", help="measure one pass over the test data instead of updates"
    )
    parser.add_argument(
        "--by",
        choices=["function", "link"],
        default="function",
        help="print one row for each function, or for each link (default: function)",
    )
    parser.add_argument(
        "--trace",
        type=word,
        metavar="FILE.json",
        help="write a Chrome trace; open it in Perfetto, chrome://tracing or speedscope",
    )
    parser.add_argument(
        "--stacks",
        type=word,
        metavar="FILE.txt",
        help="write collapsed stacks; draw them as a flame graph with flamegraph.pl or speedscope",
    )
    parser.add_argument(
        "--set", action="append", type=assignment, default=[], metavar="KEY=VALUE", help="change a setting"
    )
    parser.add_argument(
        "--backend", type=word, metavar="NAME", help="backend to compute on: numpy, cupy:0, … (setting run.backend)"
    )
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, got '{text}'")
    return int(text)


def _milliseconds(repeat: Any, count: int, training: Training) -> float:
    """The mean time of a call."""
    start = perf_counter()
    for _ in range(count):
        repeat()
    training.device.backend.synchronize()
    return (perf_counter() - start) / count * 1e3


def _evaluation(training: Training) -> Any:
    return training.trainer.get_extension("validation")


@contextmanager
def _sections(training: Training, profile: ProfileHook) -> Iterator[None]:
    """Name the parts of a step that are not functions: getting a batch, converting it, the optimizer's update."""
    updater: Any = training.trainer.updater
    optimizer = training.optimizers["main"]
    evaluator = _evaluation(training)
    iterator = type(updater.get_iterator("main"))
    with ExitStack() as places:

        def wrap(owner: Any, attribute: str, name: str) -> None:
            places.enter_context(_replaced(owner, attribute, profile.wrapped(name, getattr(owner, attribute))))

        wrap(iterator, "__next__", "next batch")
        wrap(updater, "converter", "convert batch")
        wrap(evaluator, "converter", "convert batch")
        wrap(optimizer, "update_parameters", "update parameters")
        wrap(optimizer, "discard_grads", "clear gradients")
        wrap(optimizer, "call_hooks", "optimizer hooks")
        yield


@contextmanager
def _replaced(owner: Any, attribute: str, value: Any) -> Iterator[None]:
    """Replace an attribute of an object or a class while a ``with`` block runs."""
    had, before = attribute in vars(owner), vars(owner).get(attribute)
    setattr(owner, attribute, value)
    try:
        yield
    finally:
        if had:
            setattr(owner, attribute, before)
        else:
            delattr(owner, attribute)
