"""Run the plugin's own kernels, compiled for the CPU, on their operations' samples; print a digest of the results.

    python exercise_kernels.py [--dtype float32] [--ops softmax,lstm] [--break WHAT] [--orders 0,1,7]

The variable RENGA_KERNEL_FLAGS says how the kernels are compiled (see `fake_cupy.build`). The numbers of ``--orders``
choose in which order their threads run, one after another (see `Order_` in `fake_cupy`): one line is printed for each.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.util
import itertools
import json
import os
import sys
from pathlib import Path

import numpy as np


def install():
    """Put the stand-ins for CuPy, cuDNN and cuBLAS in their places; the first of them."""
    fakes = beside("fake_cupy")
    fakes.ElementwiseKernel.made = []
    sys.modules.update({**fakes.cupy(), **beside("fake_cudnn").cudnn()})
    from renga_backend_cupy import cublas

    products = beside("fake_cublas").Library(lambda run: run())
    cublas.library = lambda: products.functions
    return fakes


def beside(name):
    """A module in the folder above."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def break_kernels(fakes, what):
    """Let all sources be compiled with a mistake in them."""
    replaced = {
        # Threads read what others have not written yet.
        "no barrier": (
            "held[place.first + threadIdx.x] = value;\n  __syncthreads();",
            "held[place.first + threadIdx.x] = value;",
        ),
        # The last thread reads one element beyond the array.
        "one beyond": ("const T x_ = x[at];", "const T x_ = x[at + 1];"),
        # Four elements are read at an address that does not allow it.
        "misaligned": ("if (aligned(params)", "if (true || aligned(params)"),
        # Two threads write to one place.
        "one place": ("*(Vector<T>*)&y[first] = made;", "*(Vector<T>*)&y[0] = made;"),
        # A signed integer overflows.
        "overflow": ("const W v = (W)x_;", "const W v = (W)x_ + (int)((2147483647 + (int)i) == 0);"),
    }[what]
    build = fakes.build

    def broken(source):
        assert what != "no barrier" or "joined_of_team" not in source or replaced[0] in source
        return build(source.replace(*replaced))

    fakes.build = broken


def arrays_of(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for x in value:
            yield from arrays_of(x)


def shifted(x):
    """A copy without gaps at an address at which four elements cannot be read at once."""
    memory = np.empty(x.nbytes + 32, np.uint8)
    first = -memory.ctypes.data % 16 + x.itemsize
    made = memory[first : first + x.nbytes].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


def exercise(fakes, dtype, wanted, samples):
    """Digests of all results, by operation."""
    from renga_backend_cupy import plugin
    from renga_backend_cupy.generator import PhiloxGenerator
    from renga_core.kernel import ListOperation, Seeded, operations
    from renga_core.kinds import FUNCTION, OPTIMIZER
    from renga_core.plugin import registry
    from renga_core.plugin.provider import resolve
    from renga_testing.suites.kernel import LAYOUTS

    for kind in (FUNCTION, OPTIMIZER):
        for name in registry(kind).names():
            registry(kind).load(name)
    digests = {}
    for kernel in plugin.renga_kernels():
        if kernel.op not in operations or (wanted and kernel.op not in wanted):
            continue  # an operation of a plugin that is not loaded here
        module = importlib.import_module(kernel.target.partition(":")[0])
        target, supports, operation = resolve(kernel.target), resolve(kernel.supports), operations[kernel.op]
        own = hasattr(module, "_MODULE") or any(isinstance(x, fakes.ElementwiseKernel) for x in vars(module).values())
        if "cudnn" in kernel.needs or not (own or hasattr(target, "_module") or "activation" in kernel.target):
            continue
        digest = hashlib.sha256()
        for place in (LAYOUTS["contiguous"], LAYOUTS["gaps"], shifted):
            all_samples = resolve(operation.samples)(np.random.default_rng(0), np.dtype(dtype))
            for sample in itertools.islice(all_samples, samples):
                args = [place(x).view(fakes.ndarray) if isinstance(x, np.ndarray) else x for x in sample.args]
                args = [PhiloxGenerator(0) if isinstance(x, Seeded) else x for x in args]
                if not supports(*args):
                    continue
                if isinstance(operation, ListOperation):
                    given = [[x] for x in args[: operation.lists]] + args[operation.lists :]
                    target.forward(*given)
                    results = given
                else:
                    results = [target.forward(*args)]
                    if getattr(target, "backward", None) is not None and sample.backward is not None:
                        first = next(arrays_of(results))
                        gy = np.linspace(-1, 1, first.size).reshape(first.shape).astype(dtype).view(fakes.ndarray)
                        results.append(target.backward(*sample.backward(tuple(args), results[0], gy)))
                for x in arrays_of(results):
                    digest.update(np.ascontiguousarray(x).tobytes())
        digests[kernel.op] = digest.hexdigest()[:16]
    return digests


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--ops", default="", help="separated by commas; default: all")
    parser.add_argument("--samples", type=int, help="of each operation; default: all")
    parser.add_argument("--orders", default="0", help="of threads, separated by commas; default: by number")
    parser.add_argument("--break", dest="broken", default="")
    arguments = parser.parse_args()
    fakes = install()
    if arguments.broken:
        break_kernels(fakes, arguments.broken)
    wanted = [x for x in arguments.ops.split(",") if x]
    for order in arguments.orders.split(","):
        os.environ["RENGA_THREAD_ORDER"] = order
        with np.errstate(all="ignore"):
            print(json.dumps(exercise(fakes, arguments.dtype, wanted, arguments.samples)))


if __name__ == "__main__":
    main()
