"""What the kernels ask of cuDNN, with a stand-in that insists on sizes that fit together (see fake_cudnn.py)."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from renga_nn.functions import example_arguments
from renga_nn.functions.connection import convolution_reference as reference
from renga_nn.functions.connection.attention_reference import ATTENTION
from renga_nn.functions.normalization.batch_normalization import BATCH_NORMALIZATION

SETTINGS = settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def convolutions(draw):
    """Arguments of a convolution whose result may be smaller or larger than the border makes it."""
    n_axes = draw(st.integers(1, 3))
    axes = [
        (draw(st.integers(3, 7)), draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(0, 2)))
        for _ in range(n_axes)
    ]
    size, ksize, stride, pad = map(tuple, zip(*axes, strict=True))
    dilate = tuple(draw(st.integers(1, 2)) for _ in range(n_axes))
    sizes = zip(size, ksize, stride, pad, dilate, strict=True)
    natural = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in sizes]
    out = tuple(max(1, o + draw(st.integers(-1, 2))) for o in natural)
    groups = draw(st.sampled_from([1, 2]))
    x = np.random.default_rng(0).normal(size=(2, 2 * groups, *size))
    W = np.random.default_rng(1).normal(size=(3 * groups, 2, *ksize))
    if draw(st.booleans()):
        x = np.ascontiguousarray(np.moveaxis(x, 1, -1))
        x = np.moveaxis(x, -1, 1)
    return x, W, stride, pad, dilate, groups, out


@SETTINGS
@given(case=convolutions(), dtype=st.sampled_from([np.float16, np.float64]))
def test_convolutions(fake, case, dtype):
    from renga_backend_cupy.kernels import convolution

    x, W, stride, pad, dilate, groups, out = case
    x, W = (a.astype(dtype).view(fake.ndarray) for a in (x, W))
    b = np.arange(W.shape[0], dtype=dtype).view(fake.ndarray)
    tolerance = {"atol": 0.1} if dtype is np.float16 else {"atol": 1e-12}
    geometry = (stride, pad, dilate, groups)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert convolution.supports(x, W, b, *geometry, out)
        y = convolution.Convolution.forward(x, W, b, *geometry, out)
        np.testing.assert_allclose(y, reference.convolution(x, W, b, *geometry, out), **tolerance)
        c = np.arange(x.shape[1], dtype=dtype).view(fake.ndarray)
        size = x.shape[2:]
        back = convolution.Deconvolution.forward(y, W, c, *geometry, size)
        expected = reference.deconvolution(y, W, c, *geometry, size)
        assert back.shape == x.shape
        np.testing.assert_allclose(back.astype(float), expected.astype(float), rtol=1e-2, **tolerance)
        gW = convolution.FilterGradient.forward(x, y, *geometry, W.shape[2:])
        expected = reference.filter_gradient(x, y, *geometry, W.shape[2:])
        np.testing.assert_allclose(gW.astype(float), expected.astype(float), rtol=1e-2, **tolerance)
        assert gW.flags.c_contiguous


@pytest.fixture
def arguments(fake):
    x, W, b, *others = next(iter(example_arguments.convolution(np.random.default_rng(0), np.dtype(np.float32)))).args
    return (*(a.view(fake.ndarray) for a in (x, W, b)), *others)


def test_plans_are_kept(fake, fake_cudnn, arguments):
    from renga_backend_cupy.kernels.convolution import Convolution

    for _ in range(3):
        Convolution.forward(*arguments)
    assert fake_cudnn.PyGraph.built == 1
    x, *others = arguments
    Convolution.forward(x[:1], *others)
    assert fake_cudnn.PyGraph.built == 2
    with fake.Device(1):
        Convolution.forward(*arguments)
    assert fake_cudnn.PyGraph.built == 3


def test_only_so_many_plans_are_kept(fake, fake_cudnn, arguments, monkeypatch):
    from renga_backend_cupy.kernels import convolution, cudnn

    monkeypatch.setattr(cudnn, "_PLANS", 1)
    x, *others = arguments
    for images in (x, x[:1], x):
        convolution.Convolution.forward(images, *others)
    assert fake_cudnn.PyGraph.built == 3


def test_single_precision_is_single_precision(fake, fake_cudnn, arguments, monkeypatch):
    from renga_backend_cupy.kernels.convolution import Convolution

    Convolution.forward(*arguments)
    graph = fake_cudnn.PyGraph.last
    assert set(graph.notes) == {"NONDETERMINISTIC", "TENSOR_CORE", "DOWN_CONVERT_INPUTS"}
    assert graph.made[0].stride == [80, 20, 5, 1]
    monkeypatch.setenv("CUPY_TF32", "1")
    Convolution.forward(*arguments)
    assert fake_cudnn.PyGraph.last is not graph
    assert fake_cudnn.PyGraph.last.notes == ["NONDETERMINISTIC"]
    assert fake_cudnn.PyGraph.last.made[0].stride == [80, 1, 20, 4]  # channels last


def test_half_precision_adds_in_single_precision(fake, fake_cudnn, arguments):
    from renga_backend_cupy.kernels.convolution import Convolution

    x, W, b, *others = arguments
    half = [a.astype(np.float16) for a in (x, W, b)]
    Convolution.forward(*half, *others)
    assert fake_cudnn.PyGraph.last.compute == "float32"
    assert fake_cudnn.PyGraph.last.notes == ["NONDETERMINISTIC"]


def test_without_a_plan_the_reference_computes_and_says_so_once(fake, fake_cudnn, arguments):
    from renga_backend_cupy.kernels.convolution import Convolution

    fake_cudnn.PyGraph.refuse = True
    with pytest.warns(RuntimeWarning, match="cuDNN has no plan for convolution on .*: no engine. The reference"):
        y = Convolution.forward(*arguments)
    np.testing.assert_array_equal(y, reference.convolution(*arguments))
    x, *others = arguments
    Convolution.forward(*arguments)
    Convolution.forward(x[:1], *others)  # warnings are errors in tests


@pytest.mark.parametrize("error", [ValueError("std::invalid_argument"), RuntimeError("CUDNN_STATUS_NOT_SUPPORTED")])
def test_whatever_cudnn_raises_the_reference_computes(fake, fake_cudnn, arguments, error):
    from renga_backend_cupy.kernels.convolution import Convolution

    fake_cudnn.PyGraph.refuse = error
    with pytest.warns(RuntimeWarning, match=f"no plan for convolution on .*: {error}. The reference"):
        y = Convolution.forward(*arguments)
    np.testing.assert_array_equal(y, reference.convolution(*arguments))


def test_a_plan_that_cannot_be_executed_is_not_tried_again(fake, fake_cudnn, arguments):
    from renga_backend_cupy.kernels.batch_normalization import BatchNormalization
    from renga_backend_cupy.kernels.convolution import Convolution

    fake_cudnn.PyGraph.refuse_execution = RuntimeError("CUDNN_STATUS_EXECUTION_FAILED")
    with pytest.warns(RuntimeWarning, match="no plan for convolution on .*EXECUTION_FAILED"):
        y = Convolution.forward(*arguments)
    np.testing.assert_array_equal(y, reference.convolution(*arguments))
    fake_cudnn.PyGraph.refuse_execution = AssertionError("tried again")
    np.testing.assert_array_equal(Convolution.forward(*arguments), y)
    fake_cudnn.PyGraph.refuse_execution = RuntimeError("no")
    x = np.arange(6, dtype=np.float32).reshape(3, 2).view(fake.ndarray)
    one = np.ones(2, np.float32).view(fake.ndarray)
    with pytest.warns(RuntimeWarning, match="no plan for batch_normalization on"):
        _, mean, _, inv_std = BatchNormalization.forward(x, one, one, 0.1, (0,))
    with pytest.warns(RuntimeWarning, match=r"no plan for batch_normalization.backward on"):
        gx, _, _ = BatchNormalization.backward(x, one, mean, inv_std, x, (0,))
    np.testing.assert_allclose(gx, 0, atol=1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_slices_at_any_address_are_read(fake, arguments, dtype):
    """cuDNN reads vectors of 16 bytes; a slice may begin between two of them."""
    from renga_backend_cupy.kernels.convolution import Convolution

    x, W, b, *others = arguments
    moved = []
    for a in (x, W, b):
        memory = np.zeros(a.size + 9, dtype)
        start = next(i for i in range(9) if (memory.ctypes.data + i * memory.itemsize) % 16)
        memory[start : start + a.size] = a.reshape(-1)
        moved.append(memory[start : start + a.size].reshape(a.shape).view(fake.ndarray))
    y = Convolution.forward(*moved, *others)
    np.testing.assert_allclose(y, reference.convolution(x, W, b, *others), rtol=1e-2, atol=1e-2)


def test_supports(fake):
    from renga_backend_cupy.kernels import convolution

    x, W, one, none = np.zeros((1, 1, 4, 4)), np.zeros((1, 1, 3, 3)), (1, 1), (0, 0)

    def supports(x, W, b=None):
        return convolution.supports(x, W, b, one, none, one, 1, (2, 2))

    assert supports(x, W) is True
    assert supports(x.astype(np.float32), W) is False
    assert supports(x, W, np.zeros(1, np.float32)) is False
    assert supports(x[:0], W) is False
    assert supports(x.astype(int), W.astype(int)) is False
    assert convolution.supports_filter_gradient(x, x, one, none, one, 1, (1, 1)) is True
    assert convolution.supports_filter_gradient(x, x[:0], one, none, one, 1, (1, 1)) is False


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("shape", [(5, 3), (4, 3, 6), (2, 3, 4, 5), (2, 3, 2, 3, 2)])
def test_batch_normalization(fake, shape, order, dtype):
    from renga_backend_cupy.kernels.batch_normalization import BatchNormalization, supports

    rng = np.random.default_rng(0)
    x, gy = rng.normal(1, 2, (2, *shape)).astype(dtype)
    if order == "last":
        x = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1)
    gamma, beta = rng.normal(size=(2, 3)).astype(dtype)
    arrays = [a.view(fake.ndarray) for a in (x, gamma, beta)]
    axes = (0, *range(2, len(shape)))
    assert supports(*arrays, 2e-5, axes)
    tolerance = 2e-2 if dtype is np.float16 else 1e-5
    got = BatchNormalization.forward(*arrays, 2e-5, axes)
    expected = BATCH_NORMALIZATION.reference.forward(x, gamma, beta, 2e-5, axes)
    for a, b in zip(got, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    _, mean, _, inv_std = got
    gradients = BatchNormalization.backward(arrays[0], arrays[1], mean, inv_std, gy.view(fake.ndarray), axes)
    expected = BATCH_NORMALIZATION.reference.backward(x, gamma, expected[1], expected[3], gy, axes)
    for a, b in zip(gradients, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=5 * tolerance)


def test_batch_normalization_falls_back(fake, fake_cudnn):
    from renga_backend_cupy.kernels.batch_normalization import BatchNormalization

    fake_cudnn.PyGraph.refuse = True
    x = np.arange(6, dtype=np.float32).reshape(3, 2).view(fake.ndarray)
    one = np.ones(2, np.float32).view(fake.ndarray)
    with pytest.warns(RuntimeWarning, match="no plan for batch_normalization on"):
        got = BatchNormalization.forward(x, one, one, 0.1, (0,))
    for a, b in zip(got, BATCH_NORMALIZATION.reference.forward(x, one, one, 0.1, (0,)), strict=True):
        np.testing.assert_array_equal(a, b)
    with pytest.warns(RuntimeWarning, match="no plan for batch_normalization.backward on"):
        got = BatchNormalization.backward(x, one, got[1], got[3], x, (0,))
    assert len(got) == 3


@pytest.mark.parametrize(
    ("shape", "dtype", "axes", "answer"),
    [
        ((5, 3), np.float32, (0,), True),
        ((5, 3), np.float64, (0,), False),
        ((5, 3, 2), np.float32, (0, 1), False),
        ((1, 3), np.float32, (0,), False),  # one value has no unbiased variance
        ((0, 3), np.float32, (0,), False),
        ((3,), np.float32, (0,), False),
    ],
)
def test_batch_normalization_supports(fake, shape, dtype, axes, answer):
    from renga_backend_cupy.kernels.batch_normalization import supports

    one = np.ones(3, np.float32)
    assert supports(np.zeros(shape, dtype), one, one, 0.1, axes) is answer


@st.composite
def attentions(draw):
    """Queries, keys, values and a gradient: arrays of their own, or parts of one array, as programs make them."""
    batch, heads, length, features = (draw(st.integers(1, n)) for n in (2, 3, 5, 2))
    rng = np.random.default_rng(0)
    if draw(st.booleans()):  # (batch, length, 3, heads, features)
        whole = rng.normal(size=(batch, length, 3, heads, 8 * features))
        q, k, v = (whole[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
    else:
        keys = draw(st.integers(1, 6))
        front = draw(st.sampled_from([(batch, heads), (batch,), ()]))
        shapes = ((length, 8 * features), (keys, 8 * features), (keys, 16))
        q, k, v = (rng.normal(size=(*front, *shape)) for shape in shapes)
    return q, k, v, rng.normal(size=(*q.shape[:-1], v.shape[-1])), draw(st.booleans())


def half(fake, x, dtype):
    """In the same order of axes."""
    return x.astype(dtype, order="K").view(fake.ndarray)


@SETTINGS
@given(case=attentions())
def test_attention(fake, case):
    from renga_backend_cupy.kernels.flash_attention import FlashAttention, supports

    *arrays, causal = case
    query, key, value, gy = (half(fake, x, np.float16) for x in arrays)
    arguments = (query, key, value, None, None, causal, 0.3)
    assert supports(*arguments) is True
    y, kept = FlashAttention.forward(*arguments)
    wide = (*[x.astype(float).view(np.ndarray) for x in (query, key, value)], None, None, causal, 0.3)
    right, right_kept = ATTENTION.reference.forward(*wide)
    np.testing.assert_allclose(y.astype(float), right, atol=4e-3)
    assert y.shape == gy.shape
    assert len(kept) == 1  # no matrix of scores
    gradients = FlashAttention.backward(*arguments, y, kept, gy)
    expected = ATTENTION.reference.backward(*wide, right, right_kept, gy.astype(float))
    for one, two in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(one.astype(float), two, atol=3e-2)
        assert one.dtype == np.float16


def test_attention_copies_no_parts_of_one_array_and_writes_heads_side_by_side(fake, fake_cudnn):
    from renga_backend_cupy.kernels.flash_attention import FlashAttention

    whole = np.random.default_rng(0).normal(size=(2, 5, 3, 4, 8)).astype(np.float16).view(fake.ndarray)
    query, key, value = (whole[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
    y, _ = FlashAttention.forward(query, key, value, None, None, True, 0.5)
    graph = fake_cudnn.PyGraph.last
    assert [graph.args[name].stride for name in "qkv"] == [[480, 8, 96, 1]] * 3
    assert y.transpose(0, 2, 1, 3).flags.c_contiguous


def test_attention_that_cudnn_refuses_is_computed_with_scores(compiled, fake_cudnn):
    """Forward and backward, each by itself."""
    from renga_backend_cupy.kernels.flash_attention import FlashAttention

    rng = np.random.default_rng(0)
    query, key, value, gy = (rng.normal(size=(2, 3, 4, 8)).astype(np.float16).view(compiled.ndarray) for _ in range(4))
    arguments = (query, key, value, None, None, True, 0.5)
    y, kept = FlashAttention.forward(*arguments)
    right = FlashAttention.backward(*arguments, y, kept, gy)
    fake_cudnn.PyGraph.refuse = True
    with pytest.warns(RuntimeWarning, match="cuDNN has no plan for scaled_dot_product_attention.backward on"):
        alone = FlashAttention.backward(*arguments[:-1], 0.25, y, kept, gy)
    with pytest.warns(RuntimeWarning, match="cuDNN has no plan for scaled_dot_product_attention on"):
        again, more = FlashAttention.forward(*arguments[:-1], 0.25)
    assert len(more) == 2
    both = FlashAttention.backward(*arguments[:-1], 0.25, again, more, gy)
    for one, two, other in zip(alone, both, right, strict=True):
        np.testing.assert_array_equal(one, two)
        assert (one != other).any()


@pytest.mark.parametrize("what", ["float32", "7 features", "136 features", "a mask", "dropout", "5 axes", "an old GPU"])
def test_attention_that_is_not_for_cudnn(fake, monkeypatch, what):
    from renga_backend_cupy.kernels.flash_attention import supports

    features = {"7 features": 7, "136 features": 136}.get(what, 8)
    front = (2, 3, 1) if what == "5 axes" else (2, 3)
    x = np.ones((*front, 4, features), np.float32 if what == "float32" else np.float16).view(fake.ndarray)
    given = np.ones((4, 4), bool).view(fake.ndarray)
    if what == "an old GPU":
        monkeypatch.setattr(fake.Device, "capability", "75")
    mask, keep = given if what == "a mask" else None, given if what == "dropout" else None
    assert supports(x, x, x, mask, keep, False, 0.5) is False
