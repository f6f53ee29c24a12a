"""First and second derivatives through messages, against one process that computes the same, and numerically."""

import numpy as np
import pytest

from renga_core.graph import GraphError, Variable
from renga_distributed.functions import (
    allgather,
    allreduce,
    alltoall,
    bcast,
    gather,
    pseudo_connect,
    recv,
    scatter,
    send,
)
from renga_distributed.threads import launch

SIZES = [1, 2, 3, 4]


def ring(comm, x):
    """Send to the next rank, receive from the one before."""
    if comm.size == 1:
        return [x + 0]
    sent = send(x, comm, (comm.rank + 1) % comm.size, tag=3)
    return [recv(comm, (comm.rank - 1) % comm.size, delegate_variable=sent, tag=3)]


def pairs_in_a_ring(comm, x):
    """Two arrays a message, of which the second is used twice, and the first not at all."""
    if comm.size == 1:
        return [x * 2, x * 2]
    sent = send((x * 5, x * 2), comm, (comm.rank + 1) % comm.size)
    _, y = recv(comm, (comm.rank - 1) % comm.size, delegate_variable=sent)
    return [y, y]


def there_and_back(comm, x):
    """Rank 0 sends, each hands on the double, and rank 0 uses the end: a chain that comes back."""
    if comm.size == 1:
        return [x * 2]
    if comm.rank == 0:
        sent = send(x, comm, 1)
        return [recv(comm, comm.size - 1, delegate_variable=sent) * 2]
    y = recv(comm, comm.rank - 1, delegate_variable=x)  # x is a delegate here, for its gradient
    return [send(y * 2, comm, (comm.rank + 1) % comm.size)]


# Each: what a rank calls; what one process computes from all ranks' variables, for each rank.
CASES = {
    "ring": (ring, lambda xs: [[xs[r - 1]] for r in range(len(xs))]),
    "pairs_in_a_ring": (pairs_in_a_ring, lambda xs: [[xs[r - 1] * 2] * 2 for r in range(len(xs))]),
    "there_and_back": (there_and_back, lambda xs: [[xs[0] * 2 ** len(xs)]] + [[]] * (len(xs) - 1)),
    "allgather": (lambda c, x: allgather(c, x), lambda xs: [xs] * len(xs)),
    "alltoall": (
        lambda c, x: alltoall(c, [x * (c.rank + i) for i in range(c.size)]),
        lambda xs: [[xs[r] * (r + i) for r in range(len(xs))] for i in range(len(xs))],
    ),
    "bcast": (lambda c, x: [bcast(c, x)], lambda xs: [[xs[0]]] * len(xs)),
    "bcast_from_last": (lambda c, x: [bcast(c, x, root=c.size - 1)], lambda xs: [[xs[-1]]] * len(xs)),
    "gather": (lambda c, x: [*_several(gather(c, x))], lambda xs: [xs] + [[]] * (len(xs) - 1)),
    "gather_to_last": (
        lambda c, x: [*_several(gather(c, x, root=c.size - 1))],
        lambda xs: [[]] * (len(xs) - 1) + [xs],
    ),
    "scatter": (
        lambda c, x: [scatter(c, [x * i for i in range(c.size)] if c.rank == 0 else x)],
        lambda xs: [[xs[0] * i] for i in range(len(xs))],
    ),
    "scatter_from_last": (
        lambda c, x: [scatter(c, [x * i for i in range(c.size)] if c.rank == c.size - 1 else x, c.size - 1)],
        lambda xs: [[xs[-1] * i] for i in range(len(xs))],
    ),
    "allreduce": (lambda c, x: [allreduce(c, x)], lambda xs: [[sum(xs[1:], xs[0])]] * len(xs)),
    "allreduce_twice": (
        lambda c, x: [allreduce(c, x * allreduce(c, x))],
        lambda xs: [[sum(xs[1:], xs[0]) ** 2]] * len(xs),
    ),
}


def _several(ys):
    return ys if isinstance(ys, tuple) else (ys,)


def weight(rank, i):
    """A factor that tells ranks and outputs apart."""
    return 1.0 + rank + 0.25 * i


def loss_of(rank, ys):
    """What a rank adds to the sum that is differentiated."""
    terms = [(weight(rank, i) * y * y * y).sum() for i, y in enumerate(ys)]
    return sum(terms[1:], terms[0])


def second_of(rank, gx):
    """The same, of the gradients."""
    return (weight(rank, 7) * gx * gx).sum()


def on_rank(comm, function, arrays):
    """Loss and gradient; loss of the gradient and its gradient."""
    x = Variable(arrays[comm.rank].copy())
    loss = loss_of(comm.rank, function(comm, x))
    loss.backward(enable_double_backprop=True)
    gx = x.grad_var
    x.cleargrad()
    second = second_of(comm.rank, gx)
    second.backward()
    return float(loss.array), gx.array, float(second.array), np.zeros_like(gx.array) if x.grad is None else x.grad


def in_one_process(function, arrays):
    """The same of all ranks' sums at once."""
    xs = [Variable(array.copy()) for array in arrays]
    losses = [loss_of(rank, ys) for rank, ys in enumerate(function(xs)) if ys]
    loss = sum(losses[1:], losses[0])
    loss.backward(enable_double_backprop=True)
    gxs = [Variable(np.zeros_like(x.array)) if x.grad_var is None else x.grad_var for x in xs]
    for x in xs:
        x.cleargrad()
    seconds = [second_of(rank, gx) for rank, gx in enumerate(gxs)]
    second = sum(seconds[1:], seconds[0])
    second.backward()
    ggs = [np.zeros_like(x.array) if x.grad is None else x.grad for x in xs]
    return float(loss.array), [gx.array for gx in gxs], float(second.array), ggs


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", CASES)
def test_derivatives(name, size) -> None:
    distributed, together = CASES[name]
    random = np.random.default_rng(size)
    arrays = [random.uniform(0.5, 1.5, (2, 3)) for _ in range(size)]
    losses, gxs, seconds, ggs = zip(*launch(on_rank, size, distributed, arrays), strict=True)
    loss, expected_gxs, second, expected_ggs = in_one_process(together, arrays)
    np.testing.assert_allclose(sum(losses), loss, rtol=1e-13)
    np.testing.assert_allclose(sum(seconds), second, rtol=1e-13)
    for rank in range(size):
        np.testing.assert_allclose(gxs[rank], expected_gxs[rank], rtol=1e-13)
        np.testing.assert_allclose(ggs[rank], expected_ggs[rank], rtol=1e-13)

    direction = [random.normal(size=(2, 3)) for _ in range(size)]
    step = 1e-5
    above, below = (
        np.sum(
            [
                (result[0], result[2])
                for result in launch(
                    on_rank, size, distributed, [a + s * d for a, d in zip(arrays, direction, strict=True)]
                )
            ],
            axis=0,
        )
        for s in (step, -step)
    )
    numerical = (above - below) / (2 * step)
    analytical = [sum(float((g * d).sum()) for g, d in zip(gs, direction, strict=True)) for gs in (gxs, ggs)]
    np.testing.assert_allclose(numerical, analytical, rtol=1e-6)


def asymmetric(comm, array, used):
    """Rank 0 sends; rank 1 may not use what it gets, but its backward comes by it."""
    if comm.rank == 0:
        x = Variable(array)
        send(x * 3, comm, 1).backward()
        return x.grad
    own = Variable(array)
    received = recv(comm, 0)
    loss = (own * received).sum() if used else own.sum()
    if not used:
        (loss,) = pseudo_connect(received, loss)
    loss.backward()
    return own.grad


@pytest.mark.parametrize("used", [True, False])
def test_what_is_received_may_lead_to_nothing(used) -> None:
    array = np.array([1.0, 2.0])
    sent, own = launch(asymmetric, 2, array, used)
    np.testing.assert_array_equal(sent, 3 * array if used else np.zeros(2))
    np.testing.assert_array_equal(own, 3 * array if used else np.ones(2))


def second_derivative_of_a_message(comm, array):
    """The receiver has no variable of its own: a second backward comes by the gradient of its delegate."""
    if comm.rank == 0:
        x = Variable(array)
        send(x, comm, 1).backward(enable_double_backprop=True)
        gx = x.grad_var
        x.cleargrad()
        (gx * gx).sum().backward()
        return gx.array, x.grad
    start = Variable(np.zeros(0, np.float32))
    y = recv(comm, 0, delegate_variable=start)
    (y * y * y).sum().backward(enable_double_backprop=True)
    start.grad_var.backward()
    return None


def test_a_second_backward_starts_from_the_gradient_of_a_delegate() -> None:
    x = np.array([1.0, 2.0])
    (gx, gg), _ = launch(second_derivative_of_a_message, 2, x)
    np.testing.assert_allclose(gx, 3 * x**2)
    np.testing.assert_allclose(gg, 36 * x**3)  # of 9 x^4


def test_a_second_backward_without_a_way_to_what_was_received_is_refused() -> None:
    def program(comm):
        y = recv(comm, 0) if comm.rank else Variable(np.ones(2))
        if comm.rank == 0:
            send(y, comm, 1)
        else:
            with pytest.raises(GraphError, match=r"Recv \(from rank 0\) cannot be differentiated twice: .* delegate"):
                (y * y).sum().backward(enable_double_backprop=True)

    launch(program, 2)


def many_messages(comm, arrays):
    """Messages cross, with tags of their own, and are received in another order."""
    x, (to, of) = Variable(arrays[comm.rank]), (1 - comm.rank, 1 - comm.rank)
    a = send(x, comm, to, tag=1)
    b = send(x * x, comm, to, tag=2)
    square = recv(comm, of, tag=2)
    plain = recv(comm, of, tag=1)
    loss = (square * plain).sum() * weight(comm.rank, 0)
    for delegate in (a, b):
        (loss,) = pseudo_connect(delegate, loss)
    loss.backward()
    return x.grad


def test_tags_tell_messages_apart() -> None:
    arrays = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    for rank, gx in enumerate(launch(many_messages, 2, arrays)):
        np.testing.assert_allclose(gx, weight(1 - rank, 0) * 3 * arrays[rank] ** 2)
