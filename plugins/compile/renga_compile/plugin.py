"""What this plugin offers: `renga.compile`."""

from renga_core.plugin import Namespace, hookimpl


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """What users call."""
    return [Namespace("renga", names={"renga_compile": "CompiledStep compile"})]
