"""`renga predict`: apply a trained network to new files, or generate samples."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from renga.dataset import TextPreprocessing
from renga.run.predicting import Predictor
from renga.run.results import check_out, is_folder, write_images, write_rows, write_text, written_folder
from renga.run.trained import Network, is_run
from renga.run.weights import load_network
from renga_core.command_line import Parser, UsageError, word
from renga_core.errors import RengaError
from renga_core.kinds import MODEL
from renga_core.plugin import registry
from renga_core.serializers import FileDamaged
from renga_core.settings import using_command_line

from .trained import OF_RUNS, WEIGHTS, add_settings, loaded, words

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga predict RUN [FILES…] [options]``, or ``renga predict MODEL --weights FILE FILES… [options]``."""
    arguments = _parser().parse_all(argv, intermixed=True)
    if arguments.files and arguments.text is not None:
        raise UsageError("give either --text or files, not both. See 'renga predict --help'.")
    check_out(arguments.out)
    _check_files([*arguments.files, *([] if arguments.classes is None else [arguments.classes])])
    with _network(arguments) as trained:
        print(f"renga: weights: {trained.weights}", file=sys.stderr)
        if arguments.files and not isinstance(trained.task.preprocessing, TextPreprocessing):
            if arguments.out is not None and is_folder(arguments.out):
                _predict_into(trained, arguments.files, arguments.out)
            else:
                predictor = Predictor(trained)
                predictor.freeze()
                write_rows(predictor.files(arguments.files), arguments.out)
        else:
            _generate(trained, arguments)
    return 0


def _parser() -> Parser:
    parser = Parser(
        "renga predict",
        "Apply a trained network to new files: images for an image classifier, CSV files for a classifier of tables. "
        "A network that detects or segments draws its results into the images. "
        "A language model continues a text; a generator creates images. The network is that of a run, or a model by "
        "name with a file of weights, such as mobilenet_v2.",
    )
    parser.add_argument(
        "run", metavar="RUN", type=word, help="folder with the results of `renga train`, or the name of a model"
    )
    parser.add_argument("files", nargs="*", metavar="FILES", help="files of the same kind as the training data")
    parser.add_argument(
        "--weights",
        metavar="WEIGHTS",
        type=word,
        default="best",
        help=f"for a run: best or last (default: best). {WEIGHTS}. For a model: the file with its weights",
    )
    parser.add_argument("--classes", type=word, metavar="FILE", help="class names of a model, one per line")
    add_settings(parser)
    parser.add_argument("--text", metavar="TEXT", help="text that a language model continues")
    parser.add_argument(
        "--number",
        type=int,
        metavar="N",
        help="number of characters (default: 500) or images (default: 100) to generate",
    )
    parser.add_argument(
        "--out",
        type=word,
        metavar="FILE",
        help="file to write: .csv or .jsonl for rows, .txt for text, .png or .npy for images; or a folder for images "
        "with the results drawn into them (default: print)",
    )
    return parser


@contextmanager
def _network(arguments: argparse.Namespace) -> Iterator[Network]:
    """Return the network of a run, or a model with a file of weights."""
    by_name = arguments.weights not in OF_RUNS
    if is_run(arguments.run) and (by_name or arguments.classes is not None):
        wrong = "--classes" if arguments.classes is not None else f"--weights {arguments.weights}"
        raise UsageError(f"{arguments.run} is a run and has its own weights and classes. Next: leave {wrong} out.")
    if not by_name:
        if not is_run(arguments.run) and arguments.run in registry(MODEL).names():
            raise UsageError(f"{arguments.run} is a model, not a run. Next: add --weights FILE")
        with loaded(arguments) as trained:
            yield trained
        return
    if not arguments.files:
        raise UsageError("no files to predict were given. See 'renga predict --help'.")
    names = () if arguments.classes is None else _lines(arguments.classes)
    with using_command_line(words(arguments)):
        network = load_network(arguments.run, arguments.weights, names)
        with network.using():
            yield network


def _check_files(paths: Sequence[str]) -> None:
    """Raise RengaError for the first path that does not exist or is a folder, before anything is computed."""
    for path in map(Path, paths):
        if path.is_dir():
            raise RengaError(f"{path} is a folder. Next: name the files in it: {path / '*'}")
        if not path.exists():
            raise RengaError(f"{path}: there is no such file.")


def _lines(path: str) -> tuple[str, ...]:
    try:
        return tuple(Path(path).read_text(encoding="utf-8").splitlines())
    except UnicodeDecodeError as error:
        raise FileDamaged(path, str(error), "a text in UTF-8") from error


def _predict_into(trained: Network, files: Sequence[str], out: str) -> None:
    """Let the task write into a folder, with a progress bar of files; after an error, the folder stays as it was."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]  # tqdm has no types
        monitor_interval = 0  # no monitor thread, which would outlive the bar

    stems = [Path(path).stem for path in files]
    twice = next((stem for stem in stems if stems.count(stem) > 1), None)
    if twice is not None:
        raise RengaError(f"several files are called {twice!r}: one result would overwrite another in {out}.")
    with written_folder(out) as folder, Bar(total=len(files), unit="file", file=sys.stderr) as bar:
        trained.task.predict_into(trained.target, _counted(Predictor(trained).read(files), bar), folder)
        number = len(list(folder.iterdir()))
    print(f"renga: {number} files written into {out}", file=sys.stderr)


def _counted(examples: Iterator[Any], bar: Any) -> Iterator[Any]:
    for example in examples:
        yield example
        bar.update()


def _generate(trained: Network, arguments: argparse.Namespace) -> None:
    prompts = [TextPreprocessing.read_text(path) for path in arguments.files] or [arguments.text]
    if arguments.number is not None and arguments.number < 1:
        raise UsageError(f"--number must be at least 1, not {arguments.number}.")
    for prompt in prompts:
        number = arguments.number or (500 if isinstance(trained.task.preprocessing, TextPreprocessing) else 100)
        made = trained.task.generate(trained.target, prompt, number)
        if isinstance(made, str):
            write_text(made, arguments.out)
        else:
            write_images(made, arguments.out)
