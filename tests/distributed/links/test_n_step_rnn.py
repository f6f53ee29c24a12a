"""Sequences in pieces, one a rank, against whole ones in one process."""

import numpy as np
import pytest

from renga_distributed.functions import pseudo_connect
from renga_distributed.links import create_multi_node_n_step_rnn
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import launch
from renga_nn.links import GRU, NStepBiLSTM, NStepGRU, NStepLSTM, NStepRNNTanh


def made(cls):
    """With the same weights each time."""
    link = cls(2, 3, 4, 0.0)
    random = np.random.default_rng(0)
    for _, param in sorted(link.namedparams()):
        param.array = random.normal(size=param.shape)
    return link


def pieces(size):
    random = np.random.default_rng(1)
    return [[random.normal(size=(length, 3)) for length in (3, 2)] for _ in range(size)]


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("cls", [NStepLSTM, NStepGRU, NStepRNNTanh])
def test_equals_whole_sequences(cls, size) -> None:
    xs = pieces(size)

    def program(comm):
        rank_in = comm.rank - 1 if comm.rank else None
        rank_out = comm.rank + 1 if comm.rank + 1 < comm.size else None
        link = create_multi_node_n_step_rnn(made(cls), comm, rank_in, rank_out)
        *states, ys, delegate = link(xs[comm.rank])
        loss = sum((y**2).sum() for y in ys)
        if rank_out is None:
            assert delegate is None
            loss += sum((state**3).sum() for state in states)
        else:
            (loss,) = pseudo_connect(delegate, loss)
        loss.backward()
        return [y.array for y in ys], {path: param.grad for path, param in link.actual_rnn.namedparams()}

    results = launch(program, size)
    link = made(cls)
    whole = [np.concatenate([piece[i] for piece in xs]) for i in range(2)]
    *states, ys = link(*[None] * link.n_cells, whole)
    (sum((y**2).sum() for y in ys) + sum((state**3).sum() for state in states)).backward()
    for i in range(2):
        np.testing.assert_allclose(np.concatenate([found[i] for found, _ in results]), ys[i].array, rtol=1e-12)
    for path, param in link.namedparams():
        total = sum(grads[path] for _, grads in results)
        np.testing.assert_allclose(total, param.grad, rtol=1e-10, atol=1e-12, err_msg=path)


def test_backward_may_start_from_the_delegate_alone() -> None:
    xs = pieces(2)

    def program(comm):
        link = create_multi_node_n_step_rnn(made(NStepBiLSTM), comm, *((None, 1) if comm.rank == 0 else (0, None)))
        hy, cy, _, delegate = link(xs[comm.rank])
        (delegate if comm.rank == 0 else (hy * cy).sum()).backward()
        return all(param.grad is not None for param in link.params())

    assert launch(program, 2) == [True, True]


def test_parameters_are_below_actual_rnn_as_in_chainermn() -> None:
    link = create_multi_node_n_step_rnn(made(NStepGRU), SingleCommunicator())
    assert link.n_cells == 1
    assert all(path.startswith("/actual_rnn/") for path, _ in link.namedparams())


def test_only_networks_over_sequences() -> None:
    with pytest.raises(ValueError, match=r"actual_link is an NStepLSTM, .* not GRU"):
        create_multi_node_n_step_rnn(GRU(2, 2), SingleCommunicator())
