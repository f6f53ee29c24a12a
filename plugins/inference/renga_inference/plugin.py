"""What this plugin registers: `renga.inference`, and the class of its results."""

from renga_core.plugin import Namespace, hookimpl


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
