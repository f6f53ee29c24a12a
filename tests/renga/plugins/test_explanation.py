"""Why a provider is chosen, or why none can be."""

from renga.cli.explanation import explain
from renga_core.kinds import ARRAY_BACKEND


def test_why_a_provider_is_chosen(site, offering, monkeypatch) -> None:
    hook = "renga_array_backends"
    site.install("numpy", offering("numpy", hook=hook, auto="cpu"))
    site.install("cupy", offering("cupy", hook=hook, needs=("nowhere",), auto="accelerator"))
    site.install("torch", offering("torch", hook=hook))
    backends = site.registry(ARRAY_BACKEND)
    assert str(explain(backends, probe=True)) == (
        "array_backend: cupy, numpy (from 'auto', default)\n"
        "  auto tries: [prefer.array_backend] auto, accelerators, CPUs; "
        "of each, Renga's own first, then others by name\n"
        "  skipped cupy: module 'nowhere' is not installed\n"
        "  chosen numpy:numpy (numpy-dist 1.0)\n"
        "Offered:\n"
        "  - cupy:cupy     (cupy-dist 1.0, unavailable: module 'nowhere' is not installed)\n"
        "  - numpy:numpy   (numpy-dist 1.0, ready)\n"
        "  - torch:torch   (torch-dist 1.0, ready)"
    )
    monkeypatch.setenv("RENGA_BACKEND", "nope")
    explanation = explain(backends)
    assert explanation.selection is None
    assert explanation.error.startswith("no array_backend named 'nope' (from environment RENGA_BACKEND).")
    assert explanation.error in str(explanation)
