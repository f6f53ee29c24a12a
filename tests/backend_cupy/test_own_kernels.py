"""The kernels' own sources, compiled for the CPU (see fake_cupy.py), put through the kit of kernels and some more."""

from functools import cache, cached_property

import numpy as np
import pytest

from renga_core.kernel import Implementation, Seeded, operations
from renga_core.kinds import FUNCTION, OPTIMIZER, OPTIMIZER_HOOK
from renga_core.plugin import registry
from renga_core.plugin.provider import resolve
from renga_testing.suites.kernel import KernelSuite

for _kind in (FUNCTION, OPTIMIZER, OPTIMIZER_HOOK):
    for _name in registry(_kind).names():
        registry(_kind).load(_name)


@cache
def offered():
    from renga_backend_cupy import plugin

    return {kernel.op: kernel for kernel in plugin.renga_kernels() if "cudnn" not in kernel.needs}


class Rehearsal(KernelSuite):
    """The kit, for a backend that the registry does not know."""

    __test__ = False

    def __init__(self, op):
        self._op = op

    operation = property(lambda self: operations[self._op])
    _description = property(lambda self: offered()[self._op])
    target = property(lambda self: resolve(self._description.target))
    declared = property(lambda self: offered()[self._op].capabilities)

    def samples(self, rng, dtype):
        """Without long sequences, hundreds of blocks whose threads take turns (see `test_long_sequences`), and without
        what cuDNN is offered before these kernels.
        """
        left_out = ("long ones", "heads of 8")
        return [sample for sample in super().samples(rng, dtype) if not sample.name.startswith(left_out)]

    @cached_property
    def kernel(self):
        target, supports = self.target, resolve(self._description.supports)
        return self._of_one_row(Implementation(self._op, target.forward, getattr(target, "backward", None), supports))


@pytest.fixture
def backend(compiled, monkeypatch):
    """The backend with the stand-in's arrays, known by their type; forgotten afterwards."""
    from renga_backend_cupy.backend import CupyBackend
    from renga_core.backend import lookup

    backend = CupyBackend()
    backend.xp = np  # the references run on NumPy's functions
    monkeypatch.setitem(lookup.array_types, compiled.ndarray, backend)
    return backend


TESTS = (
    "test_forward",
    "test_many_rows",
    "test_backward",
    "test_inputs_are_unchanged",
    "test_what_is_not_finite_shows",
    "test_result_is_its_own",
    "test_supports_never_raises",
    "test_undeclared_support",
)


@pytest.mark.parametrize("op", sorted(offered()))
def test_kit(backend, op):
    suite = Rehearsal(op)
    with np.errstate(all="ignore"):
        for name in TESTS:
            getattr(suite, name)(backend)
        for capability in sorted(suite.declared):
            suite.test_declared_support(backend, capability)
        # Most samples of the dtypes that are declared are served: little was left out above.
        ours = [dtype for dtype, *_ in suite._all(backend) if dtype in suite.declared or not suite.declared]
        assert 2 * len(list(suite._supported(backend))) >= len(ours)


@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
@pytest.mark.parametrize("values", [[np.nan, 1, 2], [np.inf, 1, 2], [-np.inf] * 3, [-np.inf, 0, 0], [np.nan] * 3])
def test_softmax_of_what_is_not_finite(backend, compiled, op, values):
    x = np.array([values, [1, 2, 3]], np.float32)
    kernel = resolve(offered()[op].target)
    with np.errstate(all="ignore"):
        expected = operations[op].reference.forward(x, 1)
    np.testing.assert_allclose(kernel.forward(x.view(compiled.ndarray), 1), expected, rtol=1e-6)


@pytest.mark.parametrize("labels", [[1, 4, -1], [0, -2, -1]])
def test_a_label_out_of_range_makes_the_loss_nan_and_is_never_looked_up(backend, compiled, labels):
    """So where it is not checked, because the answer is not waited for, no kernel reads outside of its arrays."""
    given = np.array(labels, np.int32).view(compiled.ndarray)
    kernel = resolve(offered()["label_weights"].target)
    classes, weight, in_range = kernel.forward(given, 4, -1, 0, True, np.dtype(np.float32))
    assert not bool(in_range)
    np.testing.assert_array_equal(classes, [max(labels[0], 0), 0, 0])
    np.testing.assert_array_equal(weight, [0.5, np.nan, 0])
    assert kernel.forward(given, 4, -1, 0, False, np.dtype(np.float32))[2] is None


@pytest.mark.parametrize("op", sorted({"relu", "sigmoid", "tanh", "elu", "softplus", "leaky_relu", "clipped_relu"}))
def test_activations_of_what_is_not_finite(backend, compiled, op):
    x = np.array([np.nan, np.inf, -np.inf, 0.0], np.float32)
    parameters = {"elu": (1.5,), "softplus": (2.0,), "leaky_relu": (0.2,), "clipped_relu": (3.0,)}.get(op, ())
    kernel, reference = resolve(offered()[op].target), operations[op].reference
    with np.errstate(all="ignore"):
        expected = reference.forward(x, *parameters)
        y = kernel.forward(x.view(compiled.ndarray), *parameters)
        np.testing.assert_allclose(y, expected, rtol=1e-6)
        kept = x if op in ("elu", "softplus", "leaky_relu") else expected
        gx = kernel.backward(kept.view(compiled.ndarray), np.ones_like(x).view(compiled.ndarray), *parameters)
        np.testing.assert_allclose(gx[1:], reference.backward(kept, np.ones_like(x), *parameters)[1:], rtol=1e-6)


def test_images_with_channels_last_stay_so(backend, compiled):
    x = np.zeros((2, 4, 6, 5), np.float32).transpose(0, 3, 1, 2).view(compiled.ndarray)
    for name, args in {
        "relu": (x,),
        "batch_normalization_fixed": (x, *[np.ones(5, np.float32).view(compiled.ndarray)] * 4, 1e-5, (0, 2, 3)),
    }.items():
        y = resolve(offered()[name].target).forward(*args)
        assert y.transpose(0, 2, 3, 1).flags.c_contiguous


def test_dropout_in_backward_draws_nothing(backend, compiled):
    kernel = resolve(offered()["dropout"].target)
    generator = backend.make_generator(3)
    x = np.ones((5, 7), np.float32).view(compiled.ndarray)
    y, kept = kernel.forward(x, generator, 0.5)
    assert generator.position == 9
    np.testing.assert_array_equal(kernel.backward(kept, x, 0.5), y)
    assert generator.position == 9
    again, _ = kernel.forward(x, generator, 0.5)
    assert (again != y).any()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dropout_add_is_dropout_and_a_sum_bit_for_bit(backend, compiled, dtype):
    rng = np.random.default_rng(0)
    x, residual = (rng.normal(size=(5, 7)).astype(dtype).view(compiled.ndarray) for _ in range(2))
    y, kept = resolve(offered()["dropout_add"].target).forward(x, residual, backend.make_generator(3), 0.3)
    dropped, right = resolve(offered()["dropout"].target).forward(x, backend.make_generator(3), 0.3)
    np.testing.assert_array_equal(y, residual + dropped)
    assert kept[:2] == right[:2]


def test_dropout_is_not_for_other_generators(backend, compiled):
    x = np.ones(3, np.float32).view(compiled.ndarray)
    assert resolve(offered()["dropout"].supports)(x, np.random.default_rng(0), 0.5) is False
    assert resolve(offered()["dropout"].supports)(x, Seeded(0), 0.5) is False


def test_ids_that_are_no_rows_count_for_none(backend, compiled):
    ids = np.array([0, 7, -1, -9, 2, 2]).view(compiled.ndarray)
    gy = np.arange(6.0).reshape(6, 1).view(compiled.ndarray)
    gW = resolve(offered()["embed_id_gradient"].target).forward(ids, gy, 3, None)
    np.testing.assert_array_equal(gW, [[0], [0], [2 + 4 + 5]])


def test_nothing_is_sorted_while_a_graph_is_captured(backend, compiled, monkeypatch):
    args = (np.array([0]).view(compiled.ndarray), np.ones((1, 2)).view(compiled.ndarray), 3, None)
    supports = resolve(offered()["embed_id_gradient"].supports)
    assert supports(*args) is True
    monkeypatch.setattr(compiled.state, "captured", [])
    assert supports(*args) is False


@pytest.mark.parametrize("mask", ["none", "seen", "of each head", "bias of each example"])
def test_long_sequences(backend, compiled, mask):
    """More keys than a warp; masks that broadcast over heads or examples are read where they lie."""
    rng = np.random.default_rng(0)
    query, key, value, gy = (rng.normal(size=(2, 2, n, 3)).view(compiled.ndarray) for n in (4, 70, 70, 4))
    given = {
        "none": None,
        "seen": rng.random((4, 70)) < 0.5,
        "of each head": rng.random((2, 1, 70)) < 0.5,
        "bias of each example": rng.normal(size=(2, 1, 1, 70)),
    }[mask]
    if given is not None:
        given = given.view(compiled.ndarray)
    kernel, reference = (
        resolve(offered()["scaled_dot_product_attention"].target),
        operations["scaled_dot_product_attention"],
    )
    args = (query, key, value, given, None, mask == "seen", 0.5)
    y, kept = kernel.forward(*args)
    right, right_kept = reference.reference.forward(*args)
    np.testing.assert_allclose(y, right)
    gradients = kernel.backward(*args, y, kept, gy)
    for one, two in zip(gradients, reference.reference.backward(*args, right, right_kept, gy), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_clipping_of_many_gradients_without_waiting(backend, compiled, dtype):
    """More arrays than one launch takes, of several pieces and of none; the norm is that of all together."""
    rng = np.random.default_rng(0)
    sizes = [0, 9000, *[3] * 130]
    grads = [rng.normal(size=n).astype(dtype).view(compiled.ndarray) for n in sizes]
    before = [np.array(grad, np.float64) for grad in grads]
    sums = np.ones(len(grads), np.float32).view(compiled.ndarray)
    resolve(offered()["sums_of_squares"].target).forward(grads, [sums[i : i + 1] for i in range(len(grads))])
    np.testing.assert_allclose(sums, [(grad**2).sum() for grad in before], rtol=1e-5)
    rate = np.full(1, 0.25, np.float32).view(compiled.ndarray)
    resolve(offered()["scale"].target).forward(grads, [rate] * len(grads))
    for grad, was in zip(grads, before, strict=True):
        np.testing.assert_allclose(np.array(grad, np.float64), was * 0.25, rtol=1e-3)


def test_sums_over_many_rows(backend, compiled):
    """More rows than parts that they are divided into."""
    rng = np.random.default_rng(0)
    x, gy = (rng.normal(size=(3000, 3)).view(compiled.ndarray) for _ in range(2))
    gamma, beta = (rng.normal(size=3).view(compiled.ndarray) for _ in range(2))
    kernel, reference = resolve(offered()["layer_normalization"].target), operations["layer_normalization"].reference
    y, mean, inv_std = kernel.forward(x, gamma, beta, 1e-5)
    right = reference.forward(x, gamma, beta, 1e-5)
    np.testing.assert_allclose(y, right[0])
    got = kernel.backward(x, gamma, mean, inv_std, gy)
    for a, b in zip(got, reference.backward(x, gamma, *right[1:], gy), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])
@pytest.mark.parametrize("with_residual", [False, True])
def test_batch_normalization_with_relu_of_large_images(backend, compiled, dtype, last, with_residual):
    """Read as vectors, and in several parts; the mean is large."""
    from renga_backend_cupy.kernels.batch_normalization_relu import BatchNormalizationReLU

    rng = np.random.default_rng(0)
    axes = (0, 2, 3)

    def images(mean=0):
        x = rng.normal(mean, 1, (12, 16, 8, 8)).astype(dtype)
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, -1)), -1, 1) if last else x

    x, residual, gy = images(20), images(), images()
    gamma, beta = rng.standard_normal((2, 16)).astype(np.float32)
    added = residual if with_residual else None
    reference = operations["batch_normalization_relu"].reference

    def computed(kernel, convert, *arrays):
        x, gamma, beta, added, gy = [None if a is None else convert(a) for a in arrays]
        y, mean, _, kept = kernel.forward(x, gamma, beta, added, 1e-5, axes)
        return y, *kernel.backward(x, gamma, mean, kept, y, gy, with_residual, axes)

    arrays = (x, gamma, beta, added, gy)
    got = computed(BatchNormalizationReLU, lambda a: a.view(compiled.ndarray), *arrays)
    right = computed(reference, lambda a: a.astype(np.float64), *arrays)
    atol = 3e-5 if dtype == "float32" else 2e-3
    assert got[0].strides == x.strides
    for one, expected in zip(got[: len(right) - (not with_residual)], right, strict=False):
        scale = max(1, abs(expected).max())
        np.testing.assert_allclose(np.asarray(one, np.float64), expected, atol=atol * scale)
