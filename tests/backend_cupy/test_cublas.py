"""What is asked of cuBLAS: arguments, with a library that computes from pointers (see fake_cublas.py)."""

import ctypes
import importlib.util
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-12}
DTYPES = {
    **{name: np.dtype(name) for name in ("float16", "float32", "float64")},
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}


def laid_out(x, layout):
    """The same numbers in another place of memory."""
    if layout == "transposed":
        return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)
    if layout == "columns left out":
        return np.concatenate([x, x], axis=-1)[..., : x.shape[-1]]
    if layout == "rows left out":
        return np.repeat(x, 2, axis=-2)[..., ::2, :]
    if layout == "gaps":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    if layout == "reversed":
        return x[..., ::-1, :].copy()[..., ::-1, :]
    return x


LAYOUTS = ("dense", "transposed", "columns left out", "rows left out", "gaps", "reversed")
UNCOPIED = ("dense", "transposed", "columns left out", "rows left out")


@st.composite
def products(draw):
    dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
    n, k, m = (draw(st.integers(0, 5)) for _ in range(3))
    fronts = draw(st.sampled_from([((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((3,), ()), ((), (3,)), ((2, 1), (3,))]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    layouts = draw(st.sampled_from(LAYOUTS)), draw(st.sampled_from(LAYOUTS))
    a, b = (
        rng.normal(size=(*front, *last)).astype(dtype) for front, last in zip(fronts, ((n, k), (k, m)), strict=True)
    )
    return laid_out(a, layouts[0]), laid_out(b, layouts[1])


@SETTINGS
@given(operands=products())
def test_any_matrices(fake, cublas, operands):
    from renga_backend_cupy.kernels import product

    a, b = (x.view(fake.ndarray) for x in operands)
    assert product.supports_matmul(a, b)
    y = product.MatMul.forward(a, b)
    right = np.asarray(a, np.float64) @ np.asarray(b, np.float64)
    assert (y.shape, y.dtype) == (right.shape, a.dtype)
    tolerance = TOLERANCES[a.dtype.name]
    np.testing.assert_allclose(np.asarray(y, np.float64), right, rtol=tolerance, atol=10 * tolerance)
    assert len(cublas.names()) <= 1
    cublas.calls.clear()


@pytest.mark.parametrize("layouts", [(a, b) for a in UNCOPIED for b in UNCOPIED])
def test_nothing_is_copied_that_cublas_can_read(fake, cublas, layouts):
    from renga_backend_cupy.cublas import multiply

    rng = np.random.default_rng(0)
    a, b = (
        laid_out(rng.normal(size=shape), layout).view(fake.ndarray)
        for shape, layout in zip(((4, 3), (3, 5)), layouts, strict=True)
    )
    multiply(a, b)
    (_, args), *more = [entry for entry in cublas.calls if entry[0] == "cublasGemmEx"]
    assert not more
    assert (args[7], args[10]) == (b.data.ptr, a.data.ptr)
    assert (args[1], args[2]) == tuple(int(layout == "transposed") for layout in reversed(layouts))


def test_a_batch_is_one_call(fake, cublas):
    from renga_backend_cupy.kernels.product import MatMul

    a, b = (np.ones(shape).view(fake.ndarray) for shape in ((2, 3, 4, 5), (2, 3, 5, 6)))
    MatMul.forward(a, b.swapaxes(-1, -2).copy().swapaxes(-1, -2))
    assert cublas.names() == ["cublasGemmStridedBatchedEx"]
    cublas.calls.clear()
    MatMul.forward(a, b[0, 0])  # all rows times one matrix
    assert cublas.names() == ["cublasGemmEx"]


@pytest.mark.parametrize(
    ("dtype", "tf32", "compute"),
    [("float16", "1", 68), ("bfloat16", "0", 68), ("float32", "0", 68), ("float32", "1", 77), ("float64", "1", 70)],
)
def test_precision(fake, cublas, monkeypatch, dtype, tf32, compute):
    """Half precision is added up in float32, and float32 rounded to TF32 only if asked for."""
    from renga_backend_cupy.cublas import multiply

    monkeypatch.setenv("CUPY_TF32", tf32)
    x = np.eye(8).astype(DTYPES[dtype]).view(fake.ndarray)
    multiply(x, x)
    assert cublas.calls[-1][1][-2:] == (compute, -1)


def test_half_precision_to_single(fake, cublas):
    from renga_backend_cupy.cublas import multiply

    x = np.full((2, 300), 200, np.float16).view(fake.ndarray)
    y = multiply(x, x.T, np.float32, scale=0.5)
    assert y.dtype == np.float32
    np.testing.assert_array_equal(y, 300 * 200 * 200 / 2)


def test_stream_and_memory_are_set_for_each_call(fake, cublas):
    """Setting a stream takes the memory away, and cuBLAS then allocates, which a capture does not allow."""
    from renga_backend_cupy.cublas import multiply

    x = np.eye(2).view(fake.ndarray)
    stream = fake.Stream()
    stream.ptr = 5
    with stream:
        multiply(x, x)
        multiply(x, x)
    assert [name for name, _ in cublas.calls] == ["cublasSetStream_v2", "cublasSetWorkspace_v2", "cublasGemmEx"] * 2
    assert cublas.stream == 5
    first, second = (args[1] for name, args in cublas.calls if "Workspace" in name)
    assert first == second


def test_what_cublas_refuses_is_an_error(fake, cublas):
    from renga_backend_cupy.cublas import CublasError, multiply

    x = np.eye(2).view(fake.ndarray)
    cublas.functions["cublasGemmEx"] = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 15)
    with pytest.raises(CublasError, match="cublasGemmEx returned status 15"):
        multiply(x, x)


class TestLinear:
    @pytest.fixture
    def arrays(self, fake):
        rng = np.random.default_rng(0)
        return [
            rng.normal(size=shape).astype(np.float32).view(fake.ndarray) for shape in ((3, 5), (4, 5), (4,), (3, 4))
        ]

    @pytest.mark.parametrize("epilogues", [True, False])
    def test_bias_and_its_gradient(self, cublas, arrays, epilogues):
        from renga_backend_cupy.kernels.product import Linear

        cublas.epilogues = epilogues
        x, W, b, gy = arrays
        for _ in range(2):
            np.testing.assert_allclose(Linear.forward(x, W, b), x @ W.T + b, rtol=1e-5)
            gx, gW, gb = Linear.backward(x, W, gy, (0, 1, 2))
            np.testing.assert_allclose(gx, gy @ W, rtol=1e-5)
            np.testing.assert_allclose(gW, gy.T @ x, rtol=1e-5)
            np.testing.assert_allclose(gb, gy.sum(axis=0), rtol=1e-5)
            (gb,) = Linear.backward(x, W, gy, (2,))
            np.testing.assert_allclose(gb, gy.sum(axis=0), rtol=1e-5)
        first = "cublasLtMatmul" if epilogues else "cublasGemmEx"
        assert cublas.names() == [first, first, "cublasGemmEx"] * 2

    @pytest.mark.parametrize("epilogues", [True, False])
    def test_relu(self, cublas, arrays, epilogues):
        from renga_backend_cupy.kernels.product import LinearReLU, supports_linear_relu

        cublas.epilogues = epilogues
        x, W, b, gy = arrays
        assert supports_linear_relu(x, W, b)
        assert not supports_linear_relu(x, W, None)
        y = LinearReLU.forward(x, W, b)
        right = np.maximum(x @ W.T + b, 0)
        assert 0 < (right > 0).sum() < right.size
        np.testing.assert_allclose(y, right, rtol=1e-5)
        assert cublas.names() == ["cublasLtMatmul" if epilogues else "cublasGemmEx"]
        passed = gy * (right > 0)
        gx, gW, gb = LinearReLU.backward(x, W, y, gy, (0, 1, 2))
        np.testing.assert_allclose(gx, passed @ W, rtol=1e-5)
        np.testing.assert_allclose(gW, passed.T @ x, rtol=1e-5)
        np.testing.assert_allclose(gb, passed.sum(axis=0), rtol=1e-5)

    def test_plans_are_kept_by_shape_and_alignment(self, fake, cublas, arrays):
        from renga_backend_cupy.kernels.product import Linear

        x, W, b, _ = arrays
        memory = np.zeros(64, np.float32)
        first = next(i for i in range(16) if (memory.ctypes.data + 4 * i) % 16 == 0)
        for start in (first, first, first + 1, first + 4):
            moved = memory[start : start + 15].reshape(3, 5).view(fake.ndarray)
            moved[...] = x
            np.testing.assert_allclose(Linear.forward(moved, W, b), x @ W.T + b, rtol=1e-5)
        plans = sum(name == "cublasLtMatmulAlgoGetHeuristic" for name, _ in cublas.calls)
        assert 2 <= plans <= 4

    def test_no_rows(self, cublas, arrays):
        from renga_backend_cupy.kernels.product import Linear

        x, W, b, gy = arrays
        assert Linear.forward(x[:0], W, b).shape == (0, 4)
        _, gW, gb = Linear.backward(x[:0], W, gy[:0], (0, 1, 2))
        assert not gW.any()
        assert not gb.any()
        assert not cublas.names()


def test_products_are_captured(fake, cublas):
    """The graph repeats them on what its memory holds then; CuPy's own raise NotImplementedError."""
    from renga_backend_cupy.kernels.product import Linear, MatMul

    x, W, b = (np.ones(shape, np.float32).view(fake.ndarray) for shape in ((2, 3), (4, 3), (4,)))
    Linear.forward(x, W, b)
    stream = fake.Stream()
    with stream:
        stream.begin_capture()
        y, product = Linear.forward(x, W, b), MatMul.forward(x, W.T)
        graph = stream.end_capture()
    x[...] = 2
    graph.launch(stream)
    np.testing.assert_array_equal(y, 7)
    np.testing.assert_array_equal(product, 6)


REAL = """
from ctypes import byref, c_int32, c_int64, c_uint32, c_uint64, c_void_p, sizeof
from renga_backend_cupy.cublas import call, library
description, layout, preference = c_void_p(), c_void_p(), c_void_p()
call("cublasLtMatmulDescCreate", byref(description), 68, 0)
for attribute, value in ((3, c_int32(1)), (4, c_int32(0)), (7, c_uint32(512)), (8, c_void_p(4096))):
    call("cublasLtMatmulDescSetAttribute", description, attribute, byref(value), sizeof(value))
call("cublasLtMatrixLayoutCreate", byref(layout), 14, c_uint64(8), c_uint64(8), c_int64(8))
call("cublasLtMatmulPreferenceCreate", byref(preference))
for attribute, value in ((1, c_uint64(1 << 25)), *((k, c_uint32(16)) for k in (5, 6, 7, 8))):
    call("cublasLtMatmulPreferenceSetAttribute", preference, attribute, byref(value), sizeof(value))
call("cublasLtMatmulPreferenceDestroy", preference)
print(len(library()))
"""


@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed: pip install '.[cuda13]'")
def test_nvidias_library_has_the_functions_and_takes_the_attributes():
    """What needs no GPU: all functions are found, and descriptions of products are accepted."""
    done = subprocess.run([sys.executable, "-c", REAL], capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "12\n"
