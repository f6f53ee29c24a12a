"""The compared libraries, in several variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["CONTESTANTS", "Contestant"]


@dataclass(frozen=True)
class Contestant:
    """A library in one variant. To add one, add a line to `CONTESTANTS` and programs to `with_LIBRARY.PROGRAMS`.

    Attributes:
        name: Name in tables and on the command line.
        library: Name in `benchmarks/programs/with_LIBRARY.py`, and of the environment.
        variant: Key of `PROGRAMS` in that file.
        imports: Import statements of a typical program.
        environment: Environment variables of its process.
        tolerance: Allowed relative difference of its first results from the first contestant's, if larger than the
            workload's.
    """

    name: str
    library: str
    variant: str = ""
    imports: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.0


# A parameter in bfloat16 has 8 bits: smaller steps have an effect only after several have been added.
_BFLOAT16 = 0.3

_RENGA = (
    "import renga, renga.functions as F, renga.links as L\n"
    # A name is imported at its first use, so use the names of a small network.
    "F.relu, F.softmax_cross_entropy, L.Linear, L.Convolution2D, renga.optimizers.Adam, renga.Chain, renga.Variable"
)

CONTESTANTS = {
    contestant.name: contestant
    for contestant in (
        Contestant("renga", "renga", imports=_RENGA),
        Contestant("renga numpy", "renga", environment={"RENGA_PLUGINS_DISABLE": "onednn,numba"}),
        Contestant("renga compiled", "renga", "compiled"),
        Contestant("renga fused", "renga", "compiled", environment={"RENGA_COMPILER": "fused"}),
        Contestant("renga eager", "renga", "eager"),
        Contestant("renga bf16", "renga", "bf16", tolerance=_BFLOAT16),
        Contestant("torch", "torch", imports="import torch"),
        Contestant("torch best", "torch", "best"),
        Contestant("torch bf16", "torch", "bf16", tolerance=_BFLOAT16),
        Contestant("torch compiled", "torch", "compiled"),
        Contestant("onnxruntime", "onnxruntime"),
        Contestant("jax", "jax", imports="import jax, jax.numpy"),
        Contestant(
            "chainer", "chainer", imports="import chainer, chainer.functions, chainer.links, chainer.optimizers"
        ),
        Contestant("autograd", "autograd", imports="import autograd, autograd.numpy"),
        Contestant("numpy", "numpy", imports="import numpy"),
    )
}
"""Contestants by name. Ratios are relative to the first."""
