"""Each rank updates its share, and keeps the state of that only."""

from __future__ import annotations

import io

import numpy as np
import pytest

import renga
from renga.distributed import create_multi_node_optimizer, launch
from renga_core.communicator import MismatchError
from renga_core.optimizer import Optimizer, UpdateRule
from renga_core.serializers import FileMismatched
from renga_serializers.npz import load_npz, save_npz

SHAPES = {"W": (7, 5), "b": (3,), "scalar": (), "empty": (0, 2), "one": (1,)}
OPTIMIZERS = [
    *("AMSBound", "AMSGrad", "AdaBound", "AdaDelta", "AdaGrad", "Adam", "AdamW", "CorrectedMomentumSGD", "MSVAG"),
    *("MomentumSGD", "NesterovAG", "RMSprop", "RMSpropGraves", "SGD", "SMORMS3"),
]


class Model(renga.Link):
    def __init__(self, seed: int = 0, dtype=np.float32) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        with self.init_scope():
            for name, shape in SHAPES.items():
                setattr(self, name, renga.Parameter(rng.normal(size=shape).astype(dtype)))
            # Not in one piece, and in another dtype
            self.strided = renga.Parameter(rng.normal(size=(4, 6)).astype(dtype).T[::2])
            self.wide = renga.Parameter(rng.normal(size=(5,)))


def step(optimizer: Optimizer, number: int) -> None:
    """An update by gradients that do not depend on anything, the same on all ranks."""
    rng = np.random.default_rng(number)
    for _, param in sorted(optimizer.target.namedparams()):
        param.grad = rng.normal(size=param.shape).astype(param.dtype)
    optimizer.update()


def values(model: renga.Link) -> dict[str, np.ndarray]:
    return {path: param.array for path, param in model.namedparams()}


def sharded(communicator, optimizer: Optimizer, model: renga.Link):
    communicator.set_config("bucket_bytes", 50)
    return create_multi_node_optimizer(optimizer, communicator, sharded=True).setup(model)


def snapshot(optimizer) -> io.BytesIO:
    file = io.BytesIO()
    save_npz(file, optimizer)
    file.seek(0)
    return file


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_same_to_the_bit(name: str, size: int) -> None:
    make = getattr(renga.optimizers, name)
    plain = make().setup(Model())
    for number in range(5):
        step(plain, number)

    def program(communicator):
        ours = sharded(communicator, make(), Model())
        for number in range(5):
            step(ours, number)
        return values(ours.target)

    for found in launch(program, size):
        # Means of 3 equal gradients are not always equal to them.
        if size == 3:
            for path, array in values(plain.target).items():
                np.testing.assert_allclose(found[path], array, rtol=1e-4, atol=1e-5, err_msg=path)
        else:
            np.testing.assert_equal(found, values(plain.target))


def test_all_optimizers_are_tested() -> None:
    assert set(OPTIMIZERS) == set(renga.optimizers.__all__)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_each_rank_has_its_share_of_the_state(size: int) -> None:
    def program(communicator):
        ours = sharded(communicator, renga.optimizers.Adam(), Model())
        step(ours, 0)
        return sum(x.nbytes for param in ours.target.params() for x in param.update_rule.state.values())

    whole = 2 * sum(param.array.nbytes for param in Model().params())
    found = launch(program, size)
    assert sum(found) == whole
    assert max(found) - whole / size <= 2 * sum(param.dtype.itemsize for param in Model().params())


def test_half_precision_by_way_of_float32() -> None:
    def plain():
        optimizer = renga.optimizers.Adam(alpha=1e-4)
        optimizer.use_fp32_update()
        return optimizer

    def resume(optimizer, file):
        load_npz(io.BytesIO(file), optimizer)
        step(optimizer, 5)
        return values(optimizer.target)

    def program(communicator):
        ours = sharded(communicator, plain(), Model(dtype=np.float16))
        for number in range(5):
            step(ours, number)
        file, model = snapshot(ours).getvalue(), ours.target.copy("copy")
        resumed = resume(sharded(communicator, plain(), ours.target.copy("copy")), file)
        step(ours, 5)
        np.testing.assert_equal(resumed, values(ours.target))
        return file, model, values(ours.target)

    alone = plain().setup(Model(dtype=np.float16))
    for number in range(6):
        step(alone, number)
    for file, model, found in launch(program, 2):
        np.testing.assert_equal(found, values(alone.target))
        np.testing.assert_equal(resume(plain().setup(model), file), found)


@pytest.mark.parametrize("name", ["Adam", "MomentumSGD", "RMSpropGraves"])
@pytest.mark.parametrize(("before", "after"), [(1, 3), (2, 4), (4, 2), (3, 1)])
def test_a_snapshot_is_whole(name: str, before: int, after: int) -> None:
    """That of one number of ranks is that of another, and of the plain optimizer, and loads into either."""
    make = getattr(renga.optimizers, name)
    plain = make().setup(Model(dtype=np.float64))
    for number in range(3):
        step(plain, number)
    file = snapshot(plain).getvalue()

    def begin(communicator):
        ours = sharded(communicator, make(), Model(dtype=np.float64))
        for number in range(3):
            step(ours, number)
        return snapshot(ours).getvalue()

    def go_on(communicator, file):
        ours = sharded(communicator, make(), plain.target.copy("copy"))
        load_npz(io.BytesIO(file), ours)
        assert ours.t == 3
        for number in range(3, 6):
            step(ours, number)
        return snapshot(ours).getvalue()

    files = launch(begin, before)
    resumed = [of_rank for given in (files[0], files[-1], file) for of_rank in launch(go_on, after, given)]
    for number in range(3, 6):
        step(plain, number)
    expected = np.load(io.BytesIO(snapshot(plain).getvalue()))
    for one in resumed:
        found = np.load(io.BytesIO(one))
        assert set(found) == set(expected)
        for key in expected:
            np.testing.assert_allclose(found[key], expected[key], rtol=1e-12, atol=1e-12, err_msg=key)


def test_a_snapshot_that_does_not_fit_changes_nothing() -> None:
    def program(communicator):
        ours = sharded(communicator, renga.optimizers.Adam(), Model())
        step(ours, 0)
        good = dict(np.load(snapshot(ours)))
        good["W/m"] = good["W/m"][:-1]
        file = io.BytesIO()
        np.savez(file, **good)
        file.seek(0)
        step(ours, 1)
        before = {path: param.update_rule.state["m"].copy() for path, param in ours.target.namedparams()}
        with pytest.raises(FileMismatched, match="W/m"):
            load_npz(file, ours)
        assert ours.t == 2
        np.testing.assert_equal(
            {path: param.update_rule.state["m"] for path, param in ours.target.namedparams()}, before
        )

    launch(program, 2)


def test_what_a_snapshot_lacks_stays_as_it_is() -> None:
    def program(communicator):
        ours = sharded(communicator, renga.optimizers.Adam(), Model())
        step(ours, 0)
        partial = dict(np.load(snapshot(ours)))
        del partial["W/m"]
        file = io.BytesIO()
        np.savez(file, **partial)
        file.seek(0)
        old = ours.target.b.update_rule.state["m"].copy()
        step(ours, 1)
        new = ours.target.W.update_rule.state["m"].copy()
        load_npz(file, ours, strict=False)
        np.testing.assert_array_equal(ours.target.b.update_rule.state["m"], old)
        np.testing.assert_array_equal(ours.target.W.update_rule.state["m"], new)

    launch(program, 2)


def test_a_snapshot_by_one_rank_alone_is_an_error_on_all() -> None:
    def program(communicator):
        ours = sharded(communicator, renga.optimizers.Adam(), Model())
        step(ours, 0)
        do = (lambda: snapshot(ours)) if communicator.rank == 0 else (lambda: step(ours, 1))
        with pytest.raises(MismatchError, match="serialize a sharded optimizer"):
            do()

    launch(program, 2)


def test_frozen_parameters_and_hyperparameters_of_one() -> None:
    def prepare(optimizer):
        optimizer.target.b.update_rule.enabled = False
        optimizer.target.W.update_rule.hyperparam.alpha = 0.1
        optimizer.add_hook(renga.optimizer_hooks.GradientClipping(0.5))
        optimizer.add_hook(renga.optimizer_hooks.WeightDecay(0.1))
        optimizer.target.one.update_rule.add_hook(renga.optimizer_hooks.WeightDecay(0.2))
        for number in range(3):
            step(optimizer, number)
        return values(optimizer.target)

    expected = prepare(renga.optimizers.Adam().setup(Model()))
    np.testing.assert_equal(expected["/b"], Model().b.array)
    for found in launch(lambda c: prepare(sharded(c, renga.optimizers.Adam(), Model())), 2):
        np.testing.assert_equal(found, expected)


def test_ranks_are_alike_whatever_they_do_to_their_gradients() -> None:
    """Noise of each rank's own: each share's is used."""

    def program(communicator):
        ours = sharded(communicator, renga.optimizers.SGD(), Model())
        noise = np.random.default_rng(communicator.rank)

        def add_noise(rule: UpdateRule, param) -> None:
            param.grad = param.grad + noise.normal(size=param.shape).astype(param.dtype)

        add_noise.call_for_each_param = True
        ours.add_hook(add_noise, "noise")
        step(ours, 0)
        return values(ours.target)

    one, other = launch(program, 2)
    np.testing.assert_equal(one, other)


def test_only_gradient_methods() -> None:
    class Odd(Optimizer):
        pass

    with pytest.raises(TypeError, match="Odd is not a GradientMethod"):
        launch(lambda communicator: sharded(communicator, Odd(), Model()), 1)
