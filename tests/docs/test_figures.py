"""Figures in the README and in pages are those of the results in benchmarks/results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NETWORKS = {
    "ResNet-50, batch 1": "resnet50_1",
    "ResNet-50, batch 8": "resnet50_8",
    "MobileNetV2, batch 1": "mobilenet_v2_1",
    "MobileNetV2, batch 8": "mobilenet_v2_8",
    "transformer, 128 words, batch 1": "transformer_1",
    "transformer, 128 words, batch 8": "transformer_8",
    "LeNet, batch 1": "lenet_1",
    "LeNet, batch 64": "lenet_64",
    "MLP, batch 1": "mlp_1",
    "MLP, batch 100": "mlp_100",
}


def results(path: str) -> dict[str, dict[str, Any]]:
    """For each workload the entries of the libraries."""
    made = json.loads((ROOT / "benchmarks" / "results" / path).read_text(encoding="utf-8"))
    return {name.rpartition("/")[2]: result["entries"] for name, result in made.items()}


def ratio(entries: dict[str, Any], other: str, ours: str = "renga") -> str:
    return f"{entries[ours]['minimum'] / entries[other]['minimum']:.2f}"


def steps(path: str) -> list[str]:
    """Renga's time divided by PyTorch's for each training step but the LSTM in one call, in ascending order."""
    left_out = ("lstm_fused", "resnet50_inference_1", "resnet50_inference_8")
    return sorted(ratio(entries, "torch") for name, entries in results(path).items() if name not in left_out)


def figures(entries: dict[str, Any], *names: str) -> str:
    return " | ".join(f"{entries[name]['minimum'] * 1000:.3g}" for name in names)


def memory(entries: dict[str, Any], *names: str) -> str:
    return " | ".join(f"{entries[name]['peak'] / 2**20:.0f}" for name in names)


def claims() -> list[tuple[str, str]]:
    """Pages, and sentences or rows of tables in them."""
    training, frozen = results("training.json"), results("inference.json")
    amd = steps("training.json")
    lstm, penalty, mlp, adam = [training[name] for name in ("lstm_fused", "gradient_penalty", "mlp", "adam")]
    first = (
        f"On two cores of an AMD EPYC, eight of nine training workloads take {amd[0]} to {amd[-1]} of the time of "
        f"PyTorch's eager mode; the ninth, an LSTM in one call, takes {ratio(lstm, 'torch')}. A frozen ResNet-50 "
        f"predicts in {ratio(frozen['resnet50_1'], 'torch')} of its time"
    )
    compared = (
        f"An LSTM in one call takes {ratio(lstm, 'torch')} of the time of PyTorch eager, and "
        f"{ratio(lstm, 'torch best')} of that of its best setting; Adam takes {ratio(adam, 'torch best')} of its best. "
        f"JAX is faster for a gradient penalty ({ratio(penalty, 'jax')}) and a small MLP ({ratio(mlp, 'jax')}); "
        f"compiled by Renga they take {ratio(penalty, 'jax', 'renga compiled')} and "
        f"{ratio(mlp, 'jax', 'renga compiled')}."
    )
    xeon, frozen_there = results("xeon/training.json"), results("xeon/inference.json")
    intel = steps("xeon/training.json")
    names = "lstm_loop", "lstm_fused", "gradient_penalty"
    loop, in_one_call, of_gradient = [ratio(xeon[name], "torch") for name in names]
    slower = sorted((loop, in_one_call, of_gradient))
    there = f"six take {intel[0]} to {intel[-3]}, and three {slower[0]} to {slower[-1]}: LSTMs and a gradient penalty"
    compared_there = (
        f"an LSTM in one call takes {in_one_call} of the time of PyTorch eager, an LSTM as a loop {loop}, a gradient "
        f"penalty {of_gradient}; the other six take {intel[0]} to {intel[-3]}"
    )
    frozen_compared = (
        f"A frozen ResNet-50 takes {ratio(frozen_there['resnet50_1'], 'torch')} there, MobileNetV2 "
        f"{ratio(frozen_there['mobilenet_v2_1'], 'torch')}, and a transformer "
        f"{ratio(frozen_there['transformer_1'], 'torch')}"
    )
    made = [("README.md", first), ("README.md", there)]
    made += [("docs/explanation/comparisons.md", text) for text in (compared, compared_there, frozen_compared)]
    for title, name in NETWORKS.items():
        times = figures(frozen[name], "renga", "renga eager", "torch", "torch best", "onnxruntime")
        for row in (times, memory(frozen[name], "renga", "torch", "onnxruntime")):
            made.append(("docs/how-to/freeze-a-model.md", f"| {title} | {row} |"))
    return made


@pytest.mark.parametrize(("page", "claim"), claims())
def test_what_a_page_says_is_what_was_measured(page: str, claim: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    assert claim in text, f"{page} should say: {claim}"
