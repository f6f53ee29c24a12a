"""`renga export`: a trained network alone, without the state of the run."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.command_line import Parser, word
from renga_core.serializers import save

from .trained import add_arguments, loaded

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga export RUN --out FILE``."""
    parser = Parser(
        "renga export",
        "Save only the parameters of a trained network. `renga.serializers.load` loads them into the same model.",
    )
    add_arguments(parser)
    parser.add_argument(
        "--out",
        type=word,
        required=True,
        metavar="FILE",
        help="file to write; its suffix decides the format: .npz, .safetensors, .h5",
    )
    arguments = parser.parse_all(argv)
    with loaded(arguments) as trained:
        save(arguments.out, trained.model)
    print(
        f"{arguments.out}: {trained.description.model.use}, {trained.model.count_params():,} parameters, "
        f"from {trained.weights}"
    )
    return 0
