"""Build every graph that the plugin asks cuDNN for, with the real cuDNN and its frontend; needs no GPU.

    LD_LIBRARY_PATH=FOLDER-OF-THE-STUB python cudnn_graphs.py

Arrays are those of the stand-in for CuPy. The kernels run on all samples of their operations, in all their dtypes and
layouts, forward and backward. A graph is validated and its operations are built by cuDNN; then it is refused, since
engines are chosen by the GPU at hand, and the reference computes on. Prints JSON.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import sys
import warnings
from collections import Counter
from pathlib import Path

import cudnn
import numpy as np

NODES = (
    "conv_fprop",
    "conv_dgrad",
    "conv_wgrad",
    "batchnorm",
    "batchnorm_backward",
    "batchnorm_inference",
    "layernorm",
    "matmul",
    "pointwise",
    "relu",
    "sdpa",
    "sdpa_backward",
)
"""Methods of a graph that add operations: the report counts what was built by them."""

DTYPES = ("float16", "bfloat16", "float32", "float64")

built: Counter[str] = Counter()
failures: dict[str, str] = {}
context = ""


class Recorded(cudnn.pygraph):
    """A graph that is built as far as that is possible without a GPU."""

    def __init__(self, *args, **options):
        options.pop("handle", None)
        # Attention asks for which GPU it is; there is none to ask.
        super().__init__(*args, **options, sm_version=90)
        self.dtype = options["io_data_type"].name
        self.nodes_added: list[str] = []

    def validate(self):
        self._step("validate")

    def build_operation_graph(self):
        self._step("build_operation_graph")
        built[f"{'+'.join(self.nodes_added)} {self.dtype}"] += 1

    def create_execution_plans(self, modes):
        raise cudnn.cudnnGraphNotSupportedError("there is no GPU to choose engines for")

    def _step(self, name):
        try:
            getattr(super(), name)()
        except Exception as error:
            failures[context] = f"{name}: {type(error).__name__}: {error}"
            raise


def _counting(name):
    original = getattr(cudnn.pygraph, name)

    def node(self, *args, **options):
        self.nodes_added.append(name)
        return original(self, *args, **options)

    return node


for _name in NODES:
    if hasattr(cudnn.pygraph, _name):
        setattr(Recorded, _name, _counting(_name))


def dtype_of(name: str) -> np.dtype:
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def install() -> object:
    """Put the stand-in for CuPy, and the recorder, where the plugin finds them; the stand-in."""
    path = Path(__file__).parents[1] / "fake_cupy.py"
    spec = importlib.util.spec_from_file_location("fake_cupy", path)
    fakes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fakes)
    fakes.ElementwiseKernel.made = []
    sys.modules.update(fakes.cupy())
    cudnn.pygraph, cudnn.create_handle, cudnn.set_stream = Recorded, lambda: None, lambda **_: None
    return fakes


class RefusedAttention:
    """What computes where cuDNN has no plan; it keeps what cuDNN would, so that the graph of backward is built, too."""

    @staticmethod
    def forward(query, *others):
        from renga_core.kernel import operations

        y, _ = operations["scaled_dot_product_attention"].reference.forward(query, *others)
        front = (1,) * (4 - query.ndim) + query.shape[:-2] if query.ndim != 3 else (query.shape[0], 1)
        return y, (np.zeros((*front, query.shape[-2], 1), np.float32).view(type(query)),)

    @staticmethod
    def backward(*args):
        return None


def run_all(fakes) -> int:
    """Run all kernels of cuDNN's on all samples; how many calls there were."""
    global context
    from renga_backend_cupy import plugin
    from renga_backend_cupy.kernels import flash_attention
    from renga_core.kernel import operations
    from renga_core.kinds import FUNCTION
    from renga_core.plugin import registry
    from renga_core.plugin.provider import resolve
    from renga_testing.suites.kernel import LAYOUTS

    for name in registry(FUNCTION).names():
        registry(FUNCTION).load(name)

    def ready(x, layout):
        return LAYOUTS[layout](x).view(fakes.ndarray) if isinstance(x, np.ndarray) else x

    flash_attention.Attention = RefusedAttention
    calls = 0
    kernels = [kernel for kernel in plugin.renga_kernels() if "cudnn" in kernel.needs]
    for kernel, precision in itertools.product(kernels, ("0", "1")):
        os.environ["CUPY_TF32"] = precision
        target, supports = resolve(kernel.target), resolve(kernel.supports)
        dtypes = [name for name in sorted(kernel.capabilities) if name in DTYPES]
        for dtype, layout in itertools.product(dtypes, LAYOUTS):
            samples = resolve(operations[kernel.op].samples)(np.random.default_rng(0), dtype_of(dtype))
            for sample in samples:
                args = tuple([ready(x, layout) for x in sample.args])
                if not supports(*args):
                    continue
                context = f"{kernel.op}, {dtype}, {layout}, CUPY_TF32={precision}, sample {sample.name!r}"
                y = target.forward(*args)
                calls += 1
                if getattr(target, "backward", None) is not None and sample.backward is not None:
                    first = y[0] if isinstance(y, tuple) else y
                    gy = np.ones(first.shape, dtype_of(dtype)).view(fakes.ndarray)
                    context += ", backward"
                    target.backward(*sample.backward(args, y, gy))
                    calls += 1
    return calls


def main() -> None:
    fakes = install()
    warnings.simplefilter("ignore", RuntimeWarning)  # cuDNN has no plan: so it is to be here
    calls = run_all(fakes)
    report = {"cudnn": cudnn.backend_version(), "frontend": cudnn.__version__}
    print(json.dumps({**report, "calls": calls, "built": built, "failures": failures}))


if __name__ == "__main__":
    main()
