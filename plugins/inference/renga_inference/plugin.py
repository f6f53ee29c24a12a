"""What this plugin offers: `renga.inference`, the kind of its engines, and one of them."""

from typing import Any

from renga_core.plugin import Kind, Namespace, Provider, hookimpl
from renga_inference.kind import INFERENCE_ENGINE


@hookimpl
def renga_kinds() -> list[Kind[Any]]:
    """Engines."""
    return [INFERENCE_ENGINE]


@hookimpl
def renga_inference_engines() -> list[Provider]:
    """What computes frozen models where nothing faster is there."""
    return [Provider("kernels", "renga_inference.engine:Engine", 1, "each step by the ordinary kernels")]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """What users call."""
    return [
        Namespace(
            "renga",
            names={
                "renga_inference.freezing": "inference",
                "renga_inference.frozen": "FrozenModel",
                "renga_inference.storing": "load_inference",
            },
        )
    ]
