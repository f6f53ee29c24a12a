"""``renga weights convert IN OUT [--model NAME]``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from renga_core.command_line import Parser
from renga_core.errors import RengaError
from renga_cv.weights.convert import RECIPES, convert_weights

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga weights``."""
    parser = Parser("renga weights", "Weights that other programs have trained.")
    convert = parser.add_subparsers(metavar="convert", required=True).add_parser(
        "convert",
        help="write a file that a network of renga.cv takes as pretrained_model",
        description="Write the weights of a network that torchvision, Keras, Darknet, DeepLab's authors or "
        "face-api.js have trained to a file that the same network of renga.cv takes as pretrained_model. Images from 0 "
        "to 255 go in, as into all networks of renga.cv. No code in the file is run, and none of these programs is "
        "needed.",
    )
    convert.add_argument(
        "source",
        metavar="IN",
        help="the file: .pth or .safetensors; model.json of TensorFlow.js; .tflite; .weights of Darknet, with the .cfg "
        "beside it, or of face-api.js",
    )
    convert.add_argument("target", metavar="OUT", help="the file to write; its suffix says the format")
    known = ", ".join(RECIPES)
    convert.add_argument("--model", metavar="NAME", help=f"which network it is, if its names do not say so: {known}")
    arguments = parser.parse_all(argv)
    _check_paths(arguments.source, arguments.target)
    name, network = convert_weights(arguments.source, arguments.target, arguments.model)
    recipe, file = RECIPES[name], arguments.target
    made = recipe.summary.format(weights=repr(file), network=network)
    model, *options = recipe.model.format(network=network).split(" ", 1)
    predict = " ".join(["renga predict", model, "--weights", shlex.quote(file), *options])
    print(f"{file}: {name}, {network.count_params():,} parameters. Load it by\n  {made}\nor type\n  {predict} IMAGE…")
    return 0


def _check_paths(source: str, target: str) -> None:
    """Raise RengaError where there is nothing to read, or nowhere to write."""
    if Path(source).is_dir():
        raise RengaError(f"{source} is a folder. Next: name the file in it.")
    if not Path(source).exists():
        raise RengaError(f"{source}: there is no such file.")
    if Path(target).is_dir() or not Path(target).parent.is_dir():
        what = "that is a folder" if Path(target).is_dir() else f"there is no folder {Path(target).parent}"
        raise RengaError(f"{target}: {what}.")
