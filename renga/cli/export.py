"""`renga export`: write a trained network to a file, without the training state."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from renga.run.exporting import OnnxOptions, export_onnx
from renga.run.results import check_file
from renga.run.trained import is_run
from renga_core.command_line import Parser, UsageError, word
from renga_core.plugin import registry
from renga_core.serializers import save

from .trained import add_arguments, loaded

__all__ = ["run"]

_ONNX = ".onnx"


def run(argv: Sequence[str]) -> int:
    """Run ``renga export RUN FILE [options]``."""
    parser = _parser()
    _refuse_out(argv)
    arguments = parser.parse_all(argv, intermixed=True)
    options = _onnx_options(arguments)
    check_file(arguments.file)
    lines: list[str] = []
    with loaded(arguments) as trained:
        if Path(arguments.file).suffix.lower() == _ONNX:
            lines = export_onnx(trained, arguments.file, options)
        else:
            save(arguments.file, trained.model)
    print(
        f"{arguments.file}: {trained.description.model.use}, {trained.model.count_params():,} parameters, "
        f"from {trained.weights}"
    )
    for line in lines:
        print(line)
    return 0


def _parser() -> Parser:
    parser = Parser(
        "renga export",
        "Write a trained network to a file. To .onnx: the whole network, which onnxruntime and other programs run. "
        "To another format: only its parameters, which `renga.serializers.load` loads into the same model.",
    )
    add_arguments(parser)
    parser.add_argument(
        "file",
        metavar="FILE",
        type=word,
        help=f"file to write; its suffix decides the format: {', '.join(_suffixes())}",
    )
    onnx = parser.add_argument_group("options for .onnx")
    onnx.add_argument(
        "--batch", type=int, metavar="N", help="fixed batch size of the exported network (default: any size)"
    )
    onnx.add_argument("--opset", type=int, metavar="N", help="version of ONNX's operators, 13 to 21 (default: newest)")
    onnx.add_argument(
        "--fold-batch-norm",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="fold batch normalization into the layer before it (default: yes)",
    )
    onnx.add_argument(
        "--check",
        action="store_true",
        help="run the file in onnxruntime on test data, and compare its outputs with the network's outputs; "
        "if they differ, the command fails and writes no file",
    )
    onnx.add_argument(
        "--tolerance",
        type=float,
        metavar="X",
        help="with --check, the largest allowed difference, relative to the largest output (default: 1e-4 for "
        "float32, 1e-2 for float16); deep networks may need more, because rounding errors add up",
    )
    return parser


def _refuse_out(argv: Sequence[str]) -> None:
    """Raise UsageError for ``--out FILE``, which other commands accept."""
    if any(each == "--out" or each.startswith("--out=") for each in argv):
        raise UsageError("renga export has no option --out. Next: renga export RUN FILE")


def _onnx_options(arguments: argparse.Namespace) -> OnnxOptions:
    """Return the options for an ONNX file.

    Raises:
        UsageError: The suffix of the file is unknown, or options for ``.onnx`` are given for another suffix.
    """
    suffix = Path(arguments.file).suffix.lower()
    if is_run(arguments.file) and not is_run(arguments.run):
        raise UsageError(f"RUN comes first. Next: renga export {arguments.file} {arguments.run}")
    if Path(arguments.file).is_dir():
        raise UsageError(f"FILE is a folder: {arguments.file}. Next: name a file in it: {arguments.file}/network.onnx")
    if suffix not in _suffixes():
        said = f"its suffix is {suffix!r}" if suffix else "it has no suffix"
        raise UsageError(f"FILE is {arguments.file!r}: {said}, and must be one of {', '.join(_suffixes())}.")
    given = {
        "--batch": arguments.batch is not None,
        "--opset": arguments.opset is not None,
        "--fold-batch-norm": arguments.fold_batch_norm is not None,
        "--check": arguments.check,
        "--tolerance": arguments.tolerance is not None,
    }
    wrong = next((option for option, there in given.items() if there), None)
    if suffix != _ONNX and wrong is not None:
        raise UsageError(f"{wrong} is for .onnx files only, but FILE is {arguments.file!r}. Next: leave it out.")
    if arguments.batch is not None and arguments.batch < 1:
        raise UsageError(f"--batch must be at least 1, not {arguments.batch}.")
    if arguments.tolerance is not None and not arguments.check:
        raise UsageError("--tolerance needs --check. Next: add --check.")
    return OnnxOptions(
        arguments.batch, arguments.opset, arguments.fold_batch_norm is not False, arguments.check, arguments.tolerance
    )


def _suffixes() -> list[str]:
    """The suffixes of the formats that can be written."""
    formats = [offer.provider.suffixes for offer, _ in registry("file_format").list()]
    return [_ONNX, *dict.fromkeys(suffix for suffixes in formats for suffix in suffixes)]
