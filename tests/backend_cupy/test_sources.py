"""CUDA's compiler accepts the sources of all kernels. Shown where it is installed; no GPU is needed."""

import shutil
import subprocess

import numpy as np
import pytest

FLOATING = ("float16", "float32", "float64")


@pytest.fixture
def nvcc():
    found = shutil.which("nvcc")
    if found is None:
        pytest.skip("no nvcc")
    return found


def kernels():
    """All elementwise kernels, with the types that their letters may stand for."""
    from renga_backend_cupy import adam, generator
    from renga_backend_cupy.kernels import max_pooling

    tables = (*generator._UNIT.values(), *generator._NORMAL.values(), generator._INTEGERS)
    yield from (([None], kernel) for _, kernel in tables)
    yield [None], adam._COUNT
    yield from ((FLOATING, kernel) for kernel in (max_pooling._FORWARD, max_pooling._BACKWARD))


def cuda(fake, kernel, letter, number):
    """The kernel as a function of plain pointers, in a namespace of its own."""
    kinds = {**fake.TYPES, "T": fake.TYPES.get(letter)}
    params = [f"{kinds[kind][0]} {'*' if raw else ''}{name}" for kind, name, raw in kernel.params]
    loop = (
        f"for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n_; i += blockDim.x) {{ {kernel.operation}; }}"
    )
    typedef = f"typedef {kinds['T'][0]} T;" if letter else ""
    entry = f"__global__ void {kernel.name}(long long n_, {', '.join(params)}) {{ {loop} }}"
    return f"namespace n{number} {{\n{typedef}\n{kernel.preamble}\n{entry}\n}}\n"


def test_cuda_compiles_them(fake, nvcc, tmp_path):
    from renga_backend_cupy import adam

    sources = [(kernel, letter) for letters, kernel in kernels() for letter in letters]
    assert len(sources) == 12
    program = "#include <cuda_fp16.h>\ntypedef __half float16;\n"
    program += "".join(cuda(fake, kernel, letter, n) for n, (kernel, letter) in enumerate(sources))
    (tmp_path / "all.cu").write_text(program + adam._SOURCE)
    command = [nvcc, "-ptx", "-arch=sm_80", "-std=c++17", "-o", "all.ptx", "all.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    entries = (tmp_path / "all.ptx").read_text().count(".entry")
    assert entries == len(sources) + 2


def test_the_addresses_of_parameters_fit_into_the_arguments_of_a_kernel(fake):
    from renga_backend_cupy import adam

    assert adam._TABLE.itemsize + 8 <= 4096
    assert adam._TABLE.itemsize == 5 * 8 * adam._TENSORS  # as in C: all fields have the same alignment
    assert f"[{adam._TENSORS}]" in adam._SOURCE
    assert np.dtype(np.uint64).itemsize == 8
