"""send, recv and pseudo_connect beside their derivatives."""

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import Variable, no_backprop_mode
from renga_distributed.functions import pseudo_connect, recv, send
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import launch


def test_a_message_of_one_or_several() -> None:
    def program(comm):
        if comm.rank == 0:
            delegates = [
                send(np.ones(2), comm, 1),
                send((np.ones(2), np.arange(3)), comm, 1),
                send([np.float32(4) * np.ones((), np.float32)], comm, 1, tag=9),
            ]
            return [(delegate.shape, delegate.dtype, delegate.requires_grad) for delegate in delegates]
        scalar = recv(comm, 0, tag=9, force_tuple=True)
        return recv(comm, 0), recv(comm, 0), scalar

    delegates, (one, several, scalar) = launch(program, 2)
    assert delegates == [((0,), np.float32, True)] * 3
    np.testing.assert_array_equal(one.array, np.ones(2))
    assert type(several) is type(scalar) is tuple
    np.testing.assert_array_equal(several[1].array, np.arange(3))
    assert (scalar[0].dtype, scalar[0].array) == (np.float32, 4)


def test_both_take_part_in_backward_though_nothing_requires_a_gradient() -> None:
    def program(comm):
        if comm.rank == 0:
            send(np.ones(2), comm, 1).backward()  # would raise if no graph had been built, or no answer came
        else:
            (recv(comm, 0) * Variable(np.ones(2))).sum().backward()
        assert not comm.allgather_obj(None)[0]
        return True

    assert launch(program, 2) == [True, True]


def test_integers_travel_without_an_answer() -> None:
    def program(comm):
        if comm.rank == 0:
            x = Variable(np.ones(2))
            words = send(np.arange(3), comm, 1)
            both = send((np.arange(2), x), comm, 1)
            for delegate in pseudo_connect(words, both):
                delegate.backward()
            return x.grad
        words = recv(comm, 0)
        numbers, y = recv(comm, 0)
        (loss,) = pseudo_connect(words, (y * numbers).sum())
        loss.backward()
        return words.dtype.kind + numbers.dtype.kind

    gradient, kinds = launch(program, 2)
    np.testing.assert_array_equal(gradient, [0, 1])
    assert kinds == "ii"


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gradients_keep_the_dtype(dtype) -> None:
    def program(comm):
        if comm.rank == 0:
            x = Variable(np.ones(2, dtype))
            send(x, comm, 1).backward()
            return x.grad.dtype
        y = recv(comm, 0)
        (y * 2).sum().backward()
        return y.dtype

    assert launch(program, 2) == [np.dtype(dtype)] * 2


def test_no_graph_without_backprop() -> None:
    def program(comm):
        with no_backprop_mode():
            if comm.rank == 0:
                return send(Variable(np.ones(2)), comm, 1)
            return recv(comm, 0)

    assert [v.creator_node for v in launch(program, 2)] == [None, None]


def test_a_graph_of_messages_is_named_in_debug_mode() -> None:
    def program(comm):
        with using_config("debug", True):
            if comm.rank == 0:
                return send(Variable(np.ones(2)), comm, 1).creator_node.label
            return recv(comm, 0).creator_node.label

    assert launch(program, 2) == ["Send (to rank 1)", "Recv (from rank 0)"]


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda c: send(np.ones(1), c, c.rank), ValueError, "send: rank 0 is this rank itself, which would wait"),
        (lambda c: recv(c, c.rank), ValueError, "recv: rank 0 is this rank itself, which would wait for itself"),
        (lambda c: send(np.ones(1), c, 3), ValueError, "send: there is no rank 3; the group has ranks 0 to 0"),
        (lambda c: recv(c, -1), ValueError, "recv: there is no rank -1"),
        (lambda c: pseudo_connect(None), ValueError, "pass the variables that should depend on delegate_variable"),
    ],
)
def test_wrong_calls(call, error, told) -> None:
    with pytest.raises(error, match=told):
        call(SingleCommunicator())


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda c: send((), c, 1), ValueError, "send: there is nothing in x to send"),
        (lambda c: send("text", c, 1), TypeError, "send"),
        (
            lambda c: recv(c, 1, delegate_variable=1),
            TypeError,
            "delegate_variable must be a result of send.., a Variable, ",
        ),
    ],
)
def test_wrong_messages(call, error, told) -> None:
    def program(comm):
        if comm.rank == 0:
            with pytest.raises(error, match=told):
                call(comm)

    launch(program, 2)


def test_pseudo_connect_changes_nothing() -> None:
    x, y = Variable(np.ones(2)), Variable(np.arange(3.0))
    a, b = pseudo_connect(None, x, y)
    assert (id(a.array), id(b.array)) == (id(x.array), id(y.array))
    (b * b).sum().backward()
    assert x.grad is None
    np.testing.assert_array_equal(y.grad, [0, 2, 4])


def test_a_delegate_gets_zeros() -> None:
    delegate, x = Variable(np.ones((2, 1), np.float16)), Variable(np.ones(2))
    (y,) = pseudo_connect(delegate, x)
    y.sum().backward()
    np.testing.assert_array_equal(delegate.grad, np.zeros((2, 1)))
    assert delegate.grad.dtype == np.float16
