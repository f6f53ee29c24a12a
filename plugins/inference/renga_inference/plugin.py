"""What this plugin registers: `renga.inference`, and the class of its results."""

from renga_core.plugin import Namespace, hookimpl


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The public names `renga.inference` and `renga.load_inference`."""
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
