"""Models of which the parts are on several ranks, against the same links in one process."""

import numpy as np
import pytest

from renga_core.graph import Variable, no_backprop_mode
from renga_core.link import Chain
from renga_distributed.functions import recv
from renga_distributed.links import MultiNodeChainList
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import launch
from renga_nn.functions import tanh
from renga_nn.links import Linear

X = np.random.default_rng(0).normal(size=(4, 3))
CLOSE = {"rtol": 1e-12, "atol": 1e-12}


class Part(Chain):
    """A layer that tells by its number from others; takes the sum of what it is given."""

    def __init__(self, number, copies=1):
        super().__init__()
        self.copies = copies
        with self.init_scope():
            self.layer = Linear(3, 3)
        self.layer.W.array = np.random.default_rng(number).normal(size=(3, 3))
        self.layer.b.array = np.random.default_rng(number + 100).normal(size=3)

    def forward(self, *xs):
        flat = [part for x in xs for part in (x if isinstance(x, tuple) else (x,))]
        y = tanh(self.layer(sum(flat[1:], flat[0])))
        return y if self.copies == 1 else tuple(y * (i + 1) for i in range(self.copies))


class Deaf(Part):
    """Does not use what it is given."""

    def forward(self, *xs):
        return super().forward(X)


def gradients(link):
    return {path: param.grad for path, param in link.namedparams()}


def run(layout, size):
    """Run ``layout(rank) -> [(link, rank_in, rank_out)]`` on each rank; outputs and gradients."""

    def program(comm):
        model = MultiNodeChainList(comm)
        for link, rank_in, rank_out in layout(comm.rank):
            model.add_link(link, rank_in, rank_out)
        y = model(X)
        (y if y.size == 0 else (y * y).sum()).backward()
        return y.array, gradients(model)

    return launch(program, size)


def same(actual, *parts) -> None:
    expected = {f"/{i}{path}": grad for i, part in enumerate(parts) for path, grad in gradients(part).items()}
    assert actual.keys() == expected.keys()
    for path, grad in expected.items():
        np.testing.assert_allclose(actual[path], grad, err_msg=path, **CLOSE)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_line_of_ranks(size) -> None:
    def layout(rank):
        return [(Part(rank), rank - 1 if rank else None, rank + 1 if rank + 1 < size else None)]

    results = run(layout, size)
    parts = [Part(rank) for rank in range(size)]
    y = X
    for part in parts:
        y = part(y)
    (y * y).sum().backward()
    np.testing.assert_allclose(results[-1][0], y.array, **CLOSE)
    for rank in range(size):
        same(results[rank][1], parts[rank])
        assert rank == size - 1 or results[rank][0].shape == (0,)


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_cycle_of_ranks(size, rounds) -> None:
    """Each rank has a part in each round; the first one's last part returns the result."""

    def layout(rank):
        before, after = (rank - 1) % size, (rank + 1) % size
        parts = [(Part(10 * i + rank), before if rank or i else None, after) for i in range(rounds)]
        return [*parts, (Part(99), before, None)] if rank == 0 else parts

    results = run(layout, size)
    parts = [[Part(10 * i + rank) for rank in range(size)] for i in range(rounds)]
    end = Part(99)
    y = X
    for part in [part for row in parts for part in row]:
        y = part(y)
    y = end(y)
    (y * y).sum().backward()
    np.testing.assert_allclose(results[0][0], y.array, **CLOSE)
    for rank in range(size):
        own = [parts[i][rank] for i in range(rounds)]
        same(results[rank][1], *own, *([end] if rank == 0 else []))


def test_several_inputs_and_outputs() -> None:
    """0 sends two arrays to 1 and 2; 2 hears from 0 and 1, and returns the result."""
    layouts = [
        [(Part(0, copies=2), None, [1, 2])],
        [(Part(1), 0, 2)],
        [(Part(2), [0, 1], None)],
    ]
    results = run(lambda rank: layouts[rank], 3)
    a, b, c = Part(0, copies=2), Part(1), Part(2)
    pair = a(X)
    y = c(pair, b(pair))
    (y * y).sum().backward()
    np.testing.assert_allclose(results[2][0], y.array, **CLOSE)
    for rank, part in enumerate((a, b, c)):
        same(results[rank][1], part)


def test_a_rank_sends_to_itself_and_to_another() -> None:
    layouts = [
        [(Part(0), None, [0, 1]), (Part(1), 0, 1), (Part(2), [1, 1], None)],
        [(Part(3), 0, 0), (Part(4), 0, 0)],
    ]
    results = run(lambda rank: layouts[rank], 2)
    parts = [Part(i) for i in range(5)]
    first = parts[0](X)
    y = parts[2](parts[3](first), parts[4](parts[1](first)))
    (y * y).sum().backward()
    np.testing.assert_allclose(results[0][0], y.array, **CLOSE)
    same(results[0][1], *parts[:3])
    same(results[1][1], *parts[3:])


def test_the_result_may_come_from_the_middle() -> None:
    """Rank 0 returns what its first part makes, then feeds rank 1 from the inputs."""
    layouts = [
        [(Part(0), None, None), (Part(1), None, 1)],
        [(Part(2), 0, None)],
    ]
    results = run(lambda rank: layouts[rank], 2)
    a, b, c = Part(0), Part(1), Part(2)
    y, z = a(X), c(b(X))
    ((y * y).sum() + (z * z).sum()).backward()
    same(results[0][1], a, b)
    same(results[1][1], c)


def test_a_link_may_not_use_what_it_receives() -> None:
    results = run(lambda rank: [[(Part(0), None, 1)], [(Deaf(1), 0, None)]][rank], 2)
    deaf = Deaf(1)
    (deaf() ** 2).sum().backward()
    same(results[1][1], deaf)
    for grad in results[0][1].values():
        np.testing.assert_array_equal(grad, np.zeros_like(grad))


def test_results_of_several_variables_and_no_graph() -> None:
    def program(comm):
        model = MultiNodeChainList(comm)
        if comm.rank == 0:
            model.add_link(Part(0), rank_out=1)
        else:
            model.add_link(Part(1, copies=2), rank_in=0)
        for _ in range(2):
            with no_backprop_mode():
                y = model(X)
        return y

    delegate, (y, z) = launch(program, 2)
    assert delegate.shape == (0,)
    np.testing.assert_allclose(y.array, Part(1)(Part(0)(X)).array)
    np.testing.assert_allclose(z.array, 2 * y.array)


def test_parameters_are_named_as_in_a_chain_list() -> None:
    model = MultiNodeChainList(SingleCommunicator())
    model.add_link(Part(0))
    assert [path for path, _ in model.namedparams()] == ["/0/layer/W", "/0/layer/b"]
    np.testing.assert_array_equal(model(X).array, Part(0)(X).array)


def test_what_does_not_fit() -> None:
    comm = SingleCommunicator()
    model = MultiNodeChainList(comm)
    with pytest.raises(ValueError, match="without links computes nothing"):
        model(X)
    for wrong in (1, [0, 1], [], -1):
        with pytest.raises(ValueError, match=r"rank_out is .*, but must be None, or ranks from 0 to 0"):
            model.add_link(Part(0), rank_out=wrong)
    with pytest.raises(ValueError, match="rank_in is 3"):
        model.add_link(Part(0), rank_in=3)
    model.add_link(Part(0), rank_in=0)
    with pytest.raises(ValueError, match="a link with rank_out=None already exists"):
        model.add_link(Part(0))
    assert len(model) == 1
    with pytest.raises(ValueError, match="receives from its own rank 0, but no output of an earlier link"):
        model(X)
    model = MultiNodeChainList(comm)
    model.add_link(Part(0), rank_out=0)
    with pytest.raises(ValueError, match="1 outputs that rank 0 sent to itself were received by none"):
        model(X)


def test_a_rank_may_speak_for_itself() -> None:
    """A list of links on one side, functions on the other."""

    def program(comm):
        if comm.rank == 0:
            model = MultiNodeChainList(comm)
            model.add_link(Part(0), rank_out=1)
            model(Variable(X)).backward()
            return model[0].layer.W.grad
        y = recv(comm, 0)
        (y * y).sum().backward()
        return None

    part = Part(0)
    (part(X) ** 2).sum().backward()
    np.testing.assert_allclose(launch(program, 2)[0], part.layer.W.grad, **CLOSE)
