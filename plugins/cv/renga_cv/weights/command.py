"""``renga weights convert IN OUT [--model NAME]``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from renga_cv.weights.convert import RECIPES, convert_weights

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga weights``."""
    parser = argparse.ArgumentParser("renga weights", description="Weights that other programs have trained.")
    convert = parser.add_subparsers(dest="what", required=True).add_parser(
        "convert",
        help="write a file that a network of renga.cv takes as pretrained_model",
        description="Write the weights of a network that torchvision has trained to a file that the same network of "
        "renga.cv takes as pretrained_model. Images from 0 to 255 go in, as into all networks of renga.cv. No code in "
        "the file is run, and PyTorch is not needed.",
    )
    convert.add_argument("source", metavar="IN", help="the file: .pth or .safetensors")
    convert.add_argument("target", metavar="OUT", help="the file to write; its suffix says the format")
    known = ", ".join(RECIPES)
    convert.add_argument("--model", metavar="NAME", help=f"which network it is, if its names do not say so: {known}")
    arguments = parser.parse_args(argv)
    name, network = convert_weights(arguments.source, arguments.target, arguments.model)
    made = RECIPES[name].summary.replace("(", f"(pretrained_model={arguments.target!r}, ").replace(", )", ")")
    print(f"{arguments.target}: {name}, {network.count_params():,} parameters. Load it by\n  renga.cv.links.{made}")
    return 0
