"""What this plugin registers: a language model and the public module `renga.language`. It imports nothing heavy."""

from renga_core.plugin import Namespace, Provider, hookimpl


@hookimpl
def renga_models() -> list[Provider]:
    """The decoder."""
    return [
        Provider(
            "llama",
            "renga_language.llama:Llama",
            1,
            "A decoder of text: RMS normalization, rotary positions, SwiGLU, grouped heads",
            capabilities=frozenset({"language_modelling"}),
        )
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The public module `renga.language`."""
    return [
        Namespace(
            "renga.language",
            names={
                "renga_language.cache": "Cache",
                "renga_language.llama": "Llama",
                "renga_language.sampling": "sample",
                "renga_language.tokenizer": "Tokenizer",
                "renga_language.weights": "load_llama",
            },
        )
    ]
