"""Whether persistent arrays become their means."""

import numpy as np
import pytest

import renga.links as L
from renga_core.communicator import MismatchError
from renga_core.link import Chain, Link
from renga_distributed.extensions import AllreducePersistent
from renga_distributed.threads import launch
from renga_training.extensions import Evaluator


def model_of(rank):
    model = Chain(norm=L.BatchNormalization(3), inner=Chain(link=Link()))
    model.norm.avg_mean[...] = [rank, 2 * rank, 5]
    model.norm.N = rank
    model.inner.link.add_persistent("half", np.full((), 60000, np.float16))
    model.inner.link.add_persistent("count", np.array([rank]))
    model.inner.link.add_persistent("text", f"rank {rank}")
    model.inner.link.add_persistent("double", np.full((2, 2), rank, np.float64).T)
    return model


@pytest.mark.parametrize("dtype", [None, "float16"])
def test_floating_arrays_only(dtype):
    def program(comm):
        comm.set_config("allreduce_grad_dtype", dtype)
        model = model_of(comm.rank)
        array, gamma = model.norm.avg_mean, model.norm.gamma.array.copy()
        AllreducePersistent(model, comm)()
        assert model.norm.avg_mean is array
        np.testing.assert_array_equal(model.norm.gamma.array, gamma)
        return model

    for model in launch(program, 3):
        np.testing.assert_allclose(model.norm.avg_mean, [1, 2, 5], rtol=1e-6)
        np.testing.assert_array_equal(model.norm.avg_var, np.ones(3))
        link = model.inner.link
        assert (link.half, link.half.dtype) == (60000, np.float16)
        np.testing.assert_allclose(link.double, np.ones((2, 2)), rtol=1e-14)


def test_integers_numbers_and_texts_stay():
    def program(comm):
        model = model_of(comm.rank)
        AllreducePersistent(model, comm)(None)
        return model.norm.N, model.inner.link.count.item(), model.inner.link.text

    assert launch(program, 2) == [(0, 0, "rank 0"), (1, 1, "rank 1")]


def test_before_evaluators(make_trainer, tmp_path):
    def program(comm):
        trainer = make_trainer(comm, tmp_path, (1, "epoch"))
        model = trainer.updater.get_optimizer("main").target
        seen = []

        class See(Evaluator):
            def evaluate(self):
                seen.append(float(model.seen))
                return {}

        trainer.extend(See({}, model))
        trainer.extend(AllreducePersistent(model, comm))
        trainer.run()
        return seen

    first, second = launch(program, 2)
    assert first == second


def test_models_that_differ():
    def program(comm):
        AllreducePersistent(Chain(norm=L.BatchNormalization(3 + comm.rank)), comm)()

    with pytest.raises(MismatchError, match="avg_mean"):
        launch(program, 2)
