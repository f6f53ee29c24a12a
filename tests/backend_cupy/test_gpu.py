"""On a GPU: what the conformance kits do not ask. Skipped, with the reason, where there is none."""

from importlib.util import find_spec

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_backend, get_device, to_host, using_device
from renga_core.configuration import using_config
from renga_core.settings import using


def reason() -> str | None:
    if find_spec("cupy") is None:
        return "module 'cupy' is not installed"
    from renga_backend_cupy.probe import unavailable

    return unavailable()


REASON = reason()
pytestmark = [pytest.mark.gpu, pytest.mark.skipif(REASON is not None, reason=f"no GPU: {REASON}")]


@pytest.fixture
def cupy():
    import cupy

    return cupy


def model_and_batch(dtype=np.float32):
    """A small network with all that has a kernel, on the GPU, and a batch."""
    import renga.functions as F
    import renga.links as L
    from renga import Sequential

    with using_config("dtype", np.dtype(dtype)), using_device("cupy:0"):
        model = Sequential(
            L.Convolution2D(2, 8, 3, pad=1),
            L.BatchNormalization(8, dtype=np.float32),
            F.relu,
            lambda x: F.max_pooling_2d(x, 3, 2),
            lambda x: F.dropout(x, 0.2),
            L.Linear(8 * 4 * 4, 5),
        )
        rng = np.random.default_rng(0)
        device = get_device("cupy:0")
        x = device.send(rng.normal(size=(16, 2, 8, 8)).astype(dtype))
        t = device.send(rng.integers(0, 5, 16))
        return model, x, t


def test_the_backend_is_found_by_its_arrays(cupy):
    assert get_backend(cupy.zeros(2)).name == "cupy"
    assert str(get_device(cupy.zeros(2))) == "cupy:0"


def test_random_numbers_are_those_of_the_definition(cupy):
    g = get_backend("cupy").make_generator(0)
    g.key = 0
    words = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]  # published with the method
    np.testing.assert_array_equal(to_host(g.random(4, dtype=np.float32)), [(w >> 8) / 2**24 for w in words])


def test_prefetch_and_fetch(cupy):
    from renga_backend_cupy.transfers import fetch, prefetch

    batches = [(np.full((256, 1024), n, np.float32),) for n in range(10)]
    sums = [fetch((x * 2).sum(axis=1)) for (x,) in prefetch(batches)]
    for n, fetched in enumerate(sums):
        np.testing.assert_array_equal(fetched.get(), np.full(256, 2048.0 * n))


@pytest.mark.parametrize("own_stream", [False, True])
def test_a_converter_uploads_while_the_gpu_works(cupy, own_stream):
    from renga_data.async_transfer import ConcatWithAsyncTransfer

    stream = cupy.cuda.Stream(non_blocking=True) if own_stream else None
    convert = ConcatWithAsyncTransfer(stream)
    arrays = np.random.default_rng(0).normal(size=(20, 3, 1000))
    sums = []
    for batch in arrays:
        x, t = convert([(row, i) for i, row in enumerate(batch)], "cupy:0")
        sums.append((x * 2).sum(axis=1) + t)
    expected = 2 * arrays.sum(axis=2) + np.arange(3)
    np.testing.assert_allclose([cupy.asnumpy(s) for s in sums], expected, rtol=1e-9, atol=1e-9)


def test_adam_by_its_kernel_as_by_its_reference(cupy):
    import renga.functions as F
    from renga.optimizers import Adam

    parameters = []
    for kernel in ("cupy", "reference"):
        random.seed(0)
        model, x, t = model_and_batch()
        optimizer = Adam(alpha=0.01).setup(model)
        with using({"kernels.adam_update": kernel}):
            for _ in range(3):
                optimizer.update(lambda m=model, x=x, t=t: F.softmax_cross_entropy(m(x), t))
        parameters.append({name: to_host(p) for name, p in model.namedparams()})
    for name, value in parameters[0].items():
        np.testing.assert_allclose(value, parameters[1][name], rtol=1e-3, atol=1e-5, err_msg=name)


def test_captured_steps_as_eager_ones(cupy):
    import renga.functions as F
    from renga.optimizers import Adam
    from renga_backend_cupy.capture import CapturedStep

    losses = []
    for captured in (False, True):
        random.seed(0)
        model, x, t = model_and_batch()
        optimizer = Adam(alpha=0.01).setup(model)

        def step(x, t, model=model, optimizer=optimizer):
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            return loss.array

        if captured:
            call = CapturedStep(step, x, t, optimizer=optimizer, warmup=2)
        else:
            call = step
            step(x, t)
            step(x, t)
        losses.append([float(call(x, t)) for _ in range(6)])
        assert optimizer.t == 8
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-3)


def test_captured_steps_skip_the_updates_that_eager_ones_skip(cupy):
    """With a dynamic loss scale, also where no update before the capture was made."""
    import renga.functions as F
    from renga.optimizers import Adam
    from renga_backend_cupy.capture import CapturedStep

    found = []
    factors = [cupy.asarray(np.float16(factor)) for factor in (np.inf, 1, np.inf, 1, 1, np.inf, np.inf, 1)]
    for captured in (False, True):
        random.seed(0)
        model, x, t = model_and_batch(np.float16)
        optimizer = Adam(alpha=0.01)
        optimizer.use_fp32_update()
        optimizer.setup(model)
        optimizer.loss_scaling(interval=3, initial=100.0)

        def step(factor, model=model, optimizer=optimizer, x=x, t=t):
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            (loss * factor).backward(loss_scale=optimizer.loss_scale)
            optimizer.update()
            return loss.array

        call = CapturedStep(step, factors[0], optimizer=optimizer, warmup=1) if captured else step
        losses = [call(factor).copy() for factor in factors[captured:]]
        scale = optimizer.loss_scale
        counts = {param.update_rule.t for param in model.params()}
        found.append((scale, optimizer.t, counts, [float(loss) for loss in losses[not captured :]]))
    assert found[0][:3] == found[1][:3]
    np.testing.assert_allclose(found[1][3], found[0][3], rtol=1e-2)


def test_half_precision_learns(cupy):
    import renga.functions as F
    from renga.optimizers import Adam

    random.seed(0)
    model, x, t = model_and_batch(np.float16)
    optimizer = Adam(alpha=0.01)
    optimizer.use_fp32_update()
    optimizer.loss_scaling(scale=128.0)
    optimizer.setup(model)
    losses = []
    for _ in range(20):
        optimizer.update(lambda: losses.append(F.softmax_cross_entropy(model(x), t)) or losses[-1])
    assert float(losses[-1].array) < 0.5 * float(losses[0].array)


def test_memory_comes_back(cupy):
    import renga.functions as F

    model, x, t = model_and_batch()
    used = []
    for _ in range(4):
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        del loss
        get_backend("cupy").synchronize()
        used.append(get_backend("cupy").memory_info()["pool_used"])
    assert used[-1] == used[1]
