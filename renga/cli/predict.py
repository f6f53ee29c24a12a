"""`renga predict`: what a trained network says of new files, or makes by itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from renga.dataset import TextPreprocessing
from renga.run.results import check_out, write_images, write_rows, write_text
from renga.run.trained import Trained
from renga_core.errors import RengaError

from .parser import Parser, UsageError, word
from .trained import add_arguments, loaded

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga predict RUN [FILES…] [options]``."""
    arguments = _parser().parse_all(argv)
    if arguments.files and arguments.text is not None:
        raise UsageError("--text and files: give one of them. See 'renga predict --help'.")
    check_out(arguments.out)
    with loaded(arguments) as trained:
        print(f"renga: weights: {trained.weights}", file=sys.stderr)
        if arguments.files and not isinstance(trained.task.preprocessing, TextPreprocessing):
            write_rows(_predicted(trained, arguments.files), arguments.out)
        else:
            _generate(trained, arguments)
    return 0


def _parser() -> Parser:
    parser = Parser(
        "renga predict",
        "What a trained network says of new files: images for a classifier of images, CSV files for one of tables. "
        "A language model goes on from a text; a generator makes images.",
    )
    add_arguments(parser)
    parser.add_argument("files", nargs="*", metavar="FILES", help="what to read: as the run's data were")
    parser.add_argument("--text", metavar="TEXT", help="what a language model goes on from")
    parser.add_argument(
        "--number", type=int, metavar="N", help="how many characters (default 500) or images (default 100) to make"
    )
    parser.add_argument(
        "--out",
        type=word,
        metavar="FILE",
        help="where to write: .csv or .jsonl for rows, .txt for text, .png or .npy for images; default: the screen",
    )
    return parser


def _predicted(trained: Trained, files: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A row for each example in the files, computed batch by batch."""
    preprocessing = trained.task.preprocessing
    if preprocessing is None:
        raise RengaError(
            f"data set '{trained.description.data.use}' does not tell how its inputs are made of files. "
            "Those that do: csv, image_folder, digits; how a data set of your own does: docs/how-to/write-a-task.md"
        )
    convert = trained.parts.converter.make()
    examples = (example for path in files for example in preprocessing.read(path))
    while batch := list(islice(examples, trained.description.batch_size)):
        rows = trained.task.predict(trained.target, convert([x for _, x in batch], trained.device))
        for (name, _), row in zip(batch, rows, strict=True):
            yield {"input": name, **row}


def _generate(trained: Trained, arguments: argparse.Namespace) -> None:
    prompts = [Path(path).read_text(encoding="utf-8") for path in arguments.files] or [arguments.text]
    if arguments.number is not None and arguments.number < 1:
        raise UsageError(f"--number is at least 1, not {arguments.number}.")
    for prompt in prompts:
        number = arguments.number or (500 if isinstance(trained.task.preprocessing, TextPreprocessing) else 100)
        made = trained.task.generate(trained.target, prompt, number)
        if isinstance(made, str):
            write_text(made, arguments.out)
        else:
            write_images(made, arguments.out)
