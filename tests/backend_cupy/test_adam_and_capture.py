"""Adam's kernel against its reference, and a captured step against the same step run eagerly.

Kernels are compiled for the CPU, and a captured graph is a list of their launches (see fake_cupy.py).
"""

from types import SimpleNamespace

import numpy as np
import pytest

from renga_core import random
from renga_core.kernel import Implementation, operations
from renga_core.link import Link
from renga_optimizers import (
    SGD,
    AdaDelta,
    Adam,
    AMSGrad,
    CorrectedMomentumSGD,
    MomentumSGD,
    NesterovAG,
    RMSprop,
)
from renga_serializers.npz import load_npz, save_npz

OPTIONS = {"alpha": 0.1, "beta1": 0.8, "eps": 1e-3, "eta": 0.5, "weight_decay_rate": 0.01}


@pytest.fixture(autouse=True)
def cupy_backend(compiled, monkeypatch):
    """The backend, which has its arrays and one kernel, without the registry, which would keep the stand-in."""
    from renga_backend_cupy import capture
    from renga_backend_cupy.backend import CupyBackend
    from renga_backend_cupy.kernels import optimizer_updates
    from renga_core.backend import lookup

    backend = CupyBackend()
    backend.xp = SimpleNamespace(
        where=compiled.made(np.where),
        empty_like=np.empty_like,
        zeros_like=np.zeros_like,
        maximum=np.maximum,
        sqrt=np.sqrt,
    )
    monkeypatch.setitem(lookup.array_types, compiled.ndarray, backend)
    monkeypatch.setattr(capture, "get_backend", lambda name: backend)

    def offer(name, update, supports):
        operation = operations[name]
        kernel, chain = Implementation("cupy", update.forward, supports=supports), operation.chain
        chains = lambda of: (kernel, operation.reference) if of is backend else chain(of)  # noqa: E731
        monkeypatch.setattr(operation, "chain", chains)

    offer("widen", optimizer_updates.Widen, optimizer_updates.supports_widen)
    for name, update, arguments in (
        ("adam", optimizer_updates.AdamUpdate, "adam"),
        ("sgd", optimizer_updates.SGDUpdate, "sgd"),
        ("rmsprop", optimizer_updates.RMSpropUpdate, "rmsprop"),
        ("momentum_sgd", optimizer_updates.MomentumSGDUpdate, "momentum"),
        ("corrected_momentum_sgd", optimizer_updates.CorrectedMomentumSGDUpdate, "momentum"),
        ("nesterov_ag", optimizer_updates.NesterovAGUpdate, "momentum"),
    ):
        offer(f"{name}_update", update, getattr(optimizer_updates, f"supports_{arguments}"))
        offer(f"{name}_update_fp32", update.half, optimizer_updates.supports_halves)
    random.seed(0)
    yield backend
    random.seed(0)


def parameters(fake, shapes, dtype=np.float32, kind=None):
    link = Link(**{f"p{i}": (shape, dtype) for i, shape in enumerate(shapes)})
    for i, param in enumerate(link.params()):
        value = np.random.default_rng(i).normal(size=param.shape).astype(dtype)
        param.array = value.view(kind) if kind is not None else value
    return link


def feed(link, seed):
    for i, param in enumerate(link.params()):
        grad = np.random.default_rng([seed, i]).normal(size=param.shape).astype(param.dtype)
        param.grad = grad.view(type(param.array))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_as_adam(compiled, dtype):
    shapes = [(3, 4), (), (0, 2), (700,), *[(2,)] * 100]
    mine, theirs = parameters(compiled, shapes, dtype, compiled.ndarray), parameters(compiled, shapes, dtype)
    fused, adam = Adam(**OPTIONS).setup(mine), Adam(**OPTIONS).setup(theirs)
    for step in range(5):
        for link, optimizer in ((mine, fused), (theirs, adam)):
            feed(link, step)
            if step == 3:
                optimizer.alpha = 0.02
                link.p1.update_rule.hyperparam.beta1 = 0.5
                link.p3.cleargrad()
            optimizer.update()
    tolerance = 2e-6 if dtype is np.float32 else 1e-13
    for (name, a), (_, b) in zip(sorted(mine.namedparams()), sorted(theirs.namedparams()), strict=True):
        np.testing.assert_allclose(a.array, b.array, rtol=tolerance, atol=tolerance, err_msg=name)
        assert a.update_rule.t == b.update_rule.t


def test_few_launches(compiled, monkeypatch):
    link = parameters(compiled, [(2,)] * 770, kind=compiled.ndarray)
    optimizer = Adam().setup(link)
    launches = []
    monkeypatch.setattr(compiled, "launch", lambda run: (launches.append(run), run()))
    feed(link, 0)
    optimizer.update()
    assert len(launches) == 2  # 743 and 27 parameters


def test_arrays_with_gaps_are_updated_too(compiled):
    mine, theirs = parameters(compiled, [(3, 4)], kind=compiled.ndarray), parameters(compiled, [(3, 4)])
    mine.p0.array = np.asfortranarray(mine.p0.array).view(compiled.ndarray)
    for link, optimizer in ((mine, Adam().setup(mine)), (theirs, Adam().setup(theirs))):
        for step in range(2):
            feed(link, step)
            optimizer.update()
    np.testing.assert_allclose(mine.p0.array, theirs.p0.array, rtol=1e-6)


def test_snapshots_of_either_load_into_the_other(compiled, tmp_path):
    link, other = parameters(compiled, [(3,)], kind=compiled.ndarray), parameters(compiled, [(3,)])
    optimizer, adam = Adam().setup(link), Adam().setup(other)
    feed(link, 0)
    optimizer.update()
    save_npz(tmp_path / "x", optimizer)
    load_npz(tmp_path / "x", adam)
    np.testing.assert_array_equal(adam.target.p0.update_rule.state["m"], link.p0.update_rule.state["m"])
    assert other.p0.update_rule.t == 1


def test_hooks_see_updated_parameters(compiled):
    link = parameters(compiled, [(3,), (2,)], kind=compiled.ndarray)
    optimizer = Adam(alpha=1.0).setup(link)
    before, seen = np.array(link.p0.array), []
    optimizer.add_hook(lambda o: seen.append(np.array(link.p0.array)), "after", timing="post")
    link.p1.update_rule.add_hook(lambda rule, p: seen.append(np.array(p.array)), "mine", timing="post")
    old = np.array(link.p1.array)
    feed(link, 0)
    optimizer.update()
    assert not np.array_equal(seen[0], old)
    assert not np.array_equal(seen[1], before)


def test_half_precision_is_the_references(compiled, monkeypatch):
    link = parameters(compiled, [(2,)], np.float16, compiled.ndarray)
    launches = []
    monkeypatch.setattr(compiled, "launch", lambda run: launches.append(run))
    optimizer = Adam(eps=1e-3).setup(link)
    feed(link, 0)
    optimizer.update()
    assert not launches


def test_half_precision_by_way_of_single(compiled, monkeypatch):
    """As Adam does it, and for all parameters at once, also where a program has changed one, and with a loss scale."""
    shapes = [(2,), (3, 4), (5,), (0, 2), (4500,)]
    links = parameters(compiled, shapes, np.float16, compiled.ndarray), parameters(compiled, shapes, np.float16)
    launches = []
    monkeypatch.setattr(compiled, "launch", lambda run: (launches.append(run), run()))
    for link in links:
        optimizer = Adam(**OPTIONS)
        optimizer.use_fp32_update()
        optimizer.set_loss_scale(8.0)
        optimizer.setup(link)
        for step in range(3):
            feed(link, step)
            if step == 2:
                link.p1.array[1] = 0.25
            optimizer.update()
    assert len(launches) == 3  # one in each update
    np.testing.assert_allclose(links[0].p1.array[1], 0.25, atol=0.1)
    for mine, theirs in zip(*(link.params() for link in links), strict=True):
        assert mine.dtype == np.float16
        np.testing.assert_allclose(mine.array, theirs.array, rtol=1e-3)
        np.testing.assert_allclose(
            mine.update_rule._fp32_param.array, theirs.update_rule._fp32_param.array, rtol=2e-6, atol=2e-6
        )


def test_the_copy_in_single_precision_stays_where_it_is(compiled):
    """A captured step reads and writes the addresses that it was captured with."""
    link = parameters(compiled, [(3,)], np.float16, compiled.ndarray)
    optimizer = Adam(eps=1e-3)
    optimizer.use_fp32_update()
    optimizer.setup(link)
    places = set()
    for step in range(3):
        feed(link, step)
        optimizer.update()
        places.add(link.p0.update_rule._fp32_param.array.ctypes.data)
    assert len(places) == 1


def test_one_parameter_alone_and_one_with_another_rule(compiled):
    shapes = [(2,), (3,)]
    mine, theirs = parameters(compiled, shapes, kind=compiled.ndarray), parameters(compiled, shapes)
    fused, adam = Adam(**OPTIONS).setup(mine), Adam(**OPTIONS).setup(theirs)
    for link in (mine, theirs):
        feed(link, 0)
        link.p0.update()
    mine.p1.update_rule = Adam(**OPTIONS).create_update_rule()
    fused.update()
    adam.update()
    for a, b in zip(mine.params(), theirs.params(), strict=True):
        np.testing.assert_allclose(a.array, b.array, rtol=2e-6, atol=2e-6)


def run(compiled, backend, steps, captured):
    """Parameters and results after some steps, which draw random numbers and whose step size changes."""
    from renga_backend_cupy.capture import CapturedStep

    random.seed(4)
    link = parameters(compiled, [(5,), (3,)], kind=compiled.ndarray)
    optimizer = Adam(alpha=0.1).setup(link)
    buffer = np.zeros(5, np.float32).view(compiled.ndarray)
    fixed = np.ones(3, np.float32).view(compiled.ndarray)

    def step(x):
        drawn = random.generator(backend).random(5, dtype=np.float32)
        # On the stand-in only launches of our own kernels are captured, so gradients are what was drawn, as it is.
        link.p0.grad, link.p1.grad = drawn, fixed
        optimizer.update()
        return drawn, x

    results = []
    if captured:
        call = CapturedStep(step, buffer, optimizer=optimizer, warmup=2)
    else:
        call = step
        for _ in range(2):
            step(buffer)
    for n in range(steps):
        if n == 2:
            optimizer.alpha = 0.01
        x = np.full(5, n, np.float32).view(compiled.ndarray)
        results.append([np.array(a) for a in call(x)])
    return link, optimizer, results, call


def test_replay_is_what_the_step_does(compiled, cupy_backend):
    link, optimizer, results, _ = run(compiled, cupy_backend, 4, captured=False)
    position = random.generator(cupy_backend).position
    again, other, replayed, _ = run(compiled, cupy_backend, 4, captured=True)
    np.testing.assert_array_equal(np.stack([r[0] for r in replayed]), np.stack([r[0] for r in results]))
    np.testing.assert_array_equal(np.stack([r[1] for r in replayed]), np.stack([r[1] for r in results]))
    for a, b in zip(link.params(), again.params(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)
        assert (a.update_rule.t, b.update_rule.t) == (6, 6)
    assert (optimizer.t, other.t) == (6, 6)
    assert random.generator(cupy_backend).position == position


def test_eager_steps_may_follow(compiled, cupy_backend):
    link, optimizer, _, _ = run(compiled, cupy_backend, 3, captured=True)
    eager, same, _, _ = run(compiled, cupy_backend, 3, captured=False)
    for one, by in ((link, optimizer), (eager, same)):
        feed(one, 7)
        by.update()
    for a, b in zip(link.params(), eager.params(), strict=True):
        np.testing.assert_array_equal(a.array, b.array)


def test_work_is_in_order_with_the_callers_stream(compiled, cupy_backend):
    *_, call = run(compiled, cupy_backend, 0, captured=True)
    compiled.state.log.clear()
    call(np.zeros(5, np.float32))
    (mine, *first), (theirs, *second) = compiled.state.log
    assert (first, theirs, second) == (["waits for", "default"], "default", ["waits for", mine])


def test_what_cannot_be_replayed_is_refused(compiled, cupy_backend):
    from renga_backend_cupy.capture import CapturedStep

    *_, call = run(compiled, cupy_backend, 1, captured=True)
    with pytest.raises(ValueError, match=r"captured for float32 \(5,\), but called with float32 \(4,\)"):
        call(np.zeros(4, np.float32))
    with pytest.raises(ValueError, match=r"but called with $"):
        call()
    random.seed(1)
    with pytest.raises(RuntimeError, match="were seeded after"):
        call(np.zeros(5, np.float32))
    for optimizer in (AdaDelta(), AMSGrad()):
        link = parameters(compiled, [(2,)], kind=compiled.ndarray)
        optimizer.setup(link)
        feed(link, 0)
        with pytest.raises(TypeError, match=f"a step with {type(optimizer).__name__} cannot be captured as it is"):
            CapturedStep(optimizer.update, optimizer=optimizer)
        assert (optimizer.t, link.p0.update_rule.t) == (3, 3)  # those of the runs before
        optimizer.update()
        assert optimizer.t == 4
    with pytest.raises(ValueError, match="warmup is 0"):
        CapturedStep(lambda: None, warmup=0)


def test_a_failed_capture_is_over(compiled, cupy_backend):
    from renga_backend_cupy.capture import CapturedStep

    calls = []

    def step():
        calls.append(1)
        if len(calls) > 3:
            raise FloatingPointError("no")

    with pytest.raises(FloatingPointError, match="no"):
        CapturedStep(step)
    assert compiled.state.captured is None


def test_variables_are_taken_apart(compiled, cupy_backend):
    from renga_backend_cupy.capture import CapturedStep
    from renga_core.graph import Variable

    x = np.ones(2).view(compiled.ndarray)
    result = CapturedStep(lambda: (Variable(x), None))()
    assert result == (x, None) or (result[0] is x and result[1] is None)


@pytest.mark.parametrize("kind", [SGD, MomentumSGD, CorrectedMomentumSGD, NesterovAG, RMSprop])
def test_other_optimizers_are_captured(compiled, kind):
    """Their kernels give what the references do, and take the learning rate of each replay."""
    from renga_backend_cupy.capture import CapturedStep

    found = []
    for captured in (True, False):
        link = parameters(compiled, [(5,), (70, 70), (0,)], kind=compiled.ndarray if captured else None)
        optimizer = kind(lr=0.5).setup(link)
        feed(link, 0)
        step = CapturedStep(optimizer.update, optimizer=optimizer, warmup=1) if captured else optimizer.update
        if not captured:
            step()
        for lr in (0.25, 0.125):
            optimizer.lr = lr
            step()
        found.append([np.array(p.array) for p in link.params()])
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


def test_several_updates_in_one_step(compiled):
    """Each has the numbers of its own count; a parameter with other hyperparameters has its own."""
    from renga_backend_cupy.capture import CapturedStep

    arrays = []
    for captured in (False, True):
        link = parameters(compiled, [(5,), (3,)], kind=compiled.ndarray)
        optimizer = Adam(alpha=0.1).setup(link)
        link.p1.update_rule.hyperparam.alpha = 0.5
        feed(link, 0)

        def step(optimizer=optimizer):
            optimizer.update()
            optimizer.update()

        if captured:
            step = CapturedStep(step, optimizer=optimizer, warmup=1)
        else:
            step()
        for _ in range(3):
            step()
        assert (optimizer.t, link.p0.update_rule.t, link.p1.update_rule.t) == (8, 8, 8)
        arrays.append([np.array(p.array) for p in link.params()])
    for one, two in zip(*arrays, strict=True):
        np.testing.assert_array_equal(one, two)
