"""Who takes part: the libraries, in the variants that are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["CONTESTANTS", "Contestant"]


@dataclass(frozen=True)
class Contestant:
    """A library in one variant. To add a variant: a line in `CONTESTANTS` and programs in `with_LIBRARY.PROGRAMS`.

    Attributes:
        name: In tables and on the command line.
        library: Of `benchmarks/programs/with_LIBRARY.py`, and whose environment is used.
        variant: Key of `PROGRAMS` there.
        imports: What a program does to use it, before it computes.
        environment: Variables set for its process.
        tolerance: How far, relatively, its first results may be from the first contestant's, if that is more than the
            workload allows.
    """

    name: str
    library: str
    variant: str = ""
    imports: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.0


# A parameter in bfloat16 has 8 bits: steps that are smaller show only when enough of them have been added up.
_BFLOAT16 = 0.3

_RENGA = (
    "import renga, renga.functions as F, renga.links as L\n"
    # A name is imported at its first use, so a small network's are used.
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
"""By name. The first is the one that ratios are of."""
