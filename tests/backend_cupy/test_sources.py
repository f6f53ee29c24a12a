"""CUDA's compiler accepts the sources of all kernels. Shown where it is installed; no GPU is needed."""

import importlib
import pkgutil
import shutil
import subprocess

import pytest

FLOATING = ("float16", "bfloat16", "float32", "float64")


@pytest.fixture
def nvcc():
    found = shutil.which("nvcc")
    if found is None:
        pytest.skip("no nvcc")
    return found


def modules():
    """All modules with kernels in them, but those of cuDNN."""
    from renga_backend_cupy import generator, kernels

    names = [module.name for module in pkgutil.iter_modules(kernels.__path__)]
    found = [importlib.import_module(f"{kernels.__name__}.{name}") for name in names]
    return [generator, *(module for module in found if module.__name__.rpartition(".")[2] != "cudnn")]


def kernels(fake):
    """All elementwise kernels, with the types that their letters may stand for."""
    for kernel in fake.ElementwiseKernel.made:
        yield FLOATING if "T" in {kind for kind, _, _ in kernel.params} else [None], kernel


def cuda(fake, kernel, letter, number):
    """The kernel as a function of plain pointers, in a namespace of its own."""
    wide = fake.TYPES["float64" if letter == "float64" else "float32"]
    kinds = {**fake.TYPES, "T": fake.TYPES.get(letter), "S": wide, "I": fake.TYPES["int64"]}
    params = [f"{kinds[kind][0]} {'*' if raw else ''}{name}" for kind, name, raw in kernel.params]
    loop = (
        f"for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n_; i += blockDim.x) {{ {kernel.operation}; }}"
    )
    typedef = f"typedef {kinds['T'][0]} T; typedef {wide[0]} S;" if letter else "typedef long long I;"
    entry = f"__global__ void {kernel.name}(long long n_, {', '.join(params)}) {{ {loop} }}"
    return f"namespace n{number} {{\n{typedef}\n{kernel.preamble}\n{entry}\n}}\n"


def test_cuda_compiles_them(fake, nvcc, tmp_path):
    modules()
    raw = list(fake.RawModule.made)
    sources = [(kernel, letter) for letters, kernel in kernels(fake) for letter in letters]
    assert len({kernel.name for kernel, _ in sources}) == 35
    program = (
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\ntypedef __half float16;\ntypedef __nv_bfloat16 bfloat16;\n"
    )
    program += "".join(cuda(fake, kernel, letter, n) for n, (kernel, letter) in enumerate(sources))
    program += "".join(f"namespace m{n} {{ {code} }}\n" for n, code in enumerate(raw))
    (tmp_path / "all.cu").write_text(program)
    command = [nvcc, "-ptx", "-arch=sm_80", "-std=c++17", "-o", "all.ptx", "all.cu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    entries = (tmp_path / "all.ptx").read_text().count(".entry")
    assert (len(raw), entries) == (22, len(sources) + (5 + 4 + 4 + 4) * 4 + 7 * 4 + 6 * 8 + 4 + 4 + 2 + 4 * 13 + 6)


@pytest.mark.parametrize(("version", "limit"), [(12000, 4096), (12010, 32764)])
def test_the_addresses_of_parameters_fit_into_the_arguments_of_a_kernel(fake, monkeypatch, version, limit):
    monkeypatch.setattr(fake.state, "version", version)
    from renga_backend_cupy.kernels import norms, optimizer_updates

    updates = [getattr(optimizer_updates, name) for name in optimizer_updates.__all__ if name.endswith("Update")]
    updates += [optimizer_updates.Widen, *(update.half for update in updates if hasattr(update, "half"))]
    tables = [(update.table, update.numbers.itemsize) for update in updates]
    for table, numbers in [*tables, (norms._TABLE, 8)]:
        assert table.itemsize + numbers <= limit
        assert table.itemsize % 8 == 0  # as in C, where it holds addresses
    assert {4096: (91, 77), 32764: (743, 628)}[limit] == (
        optimizer_updates.AdamUpdate.rows,
        optimizer_updates.AdamUpdate.half.rows,
    )
