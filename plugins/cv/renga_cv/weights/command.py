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
        help="write a file that a network of renga.cv accepts as pretrained_model",
        description="Convert weights of a network from torchvision, Keras, Darknet, DeepLab's authors or face-api.js "
        "to a file that the same network of renga.cv accepts as pretrained_model. The network "
        "takes images from 0 to 255, as all networks of renga.cv do. No code in the file is run, and none of these "
        "programs is "
        "needed.",
    )
    convert.add_argument(
        "source",
        metavar="IN",
        help="the file: .pth or .safetensors; model.json of TensorFlow.js; .tflite; .weights of Darknet, with the .cfg "
        "beside it, or of face-api.js",
    )
    convert.add_argument("target", metavar="OUT", help="the file to write; its suffix selects the format")
    known = ", ".join(RECIPES)
    convert.add_argument(
        "--model", metavar="NAME", help=f"name of the network, if it cannot be recognized from the file: {known}"
    )
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
    """Raise RengaError if the source file or the target folder is missing."""
    if Path(source).is_dir():
        raise RengaError(f"{source} is a folder. Next: name the file in it.")
    if not Path(source).exists():
        raise RengaError(f"{source}: there is no such file.")
    if Path(target).is_dir() or not Path(target).parent.is_dir():
        what = "that is a folder" if Path(target).is_dir() else f"there is no folder {Path(target).parent}"
        raise RengaError(f"{target}: {what}.")
