"""Messages from one rank to another, with gradients on the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, Device, get_device_of
from renga_core.communicator import CommunicatorBase
from renga_core.graph import Variable
from renga_distributed.functions.communication import Communication
from renga_distributed.functions.delegates import anchor

__all__ = ["receive", "recv", "send"]


def send(x: Any, communicator: CommunicatorBase, rank: int, tag: int = 0) -> Variable:
    """Send one or more variables to another rank, which calls `recv`; its gradient comes back in backward.

    Every message of floating numbers is answered in backward by one message with the gradients, even if `x` requires
    none. Integers have no gradient; a message of nothing else is not answered.

    Args:
        x: A variable or array, or a tuple or list of them.
        communicator: Between the ranks.
        rank: To whom.
        tag: Number of the message: `recv` takes messages of the same tag, in the order in which they were sent.

    Returns:
        A delegate variable, which is empty. **Backward must come by it**, or the other rank's gradient is not fetched:
        start from it, pass it to the next `recv` or tie it to the loss with `pseudo_connect`. Where no backward
        follows, send under ``no_backprop_mode`` on both ranks.

    Raises:
        ValueError: `rank` is this rank, or not in the group; `x` is an empty tuple.
        TypeError: Something in `x` is not a variable or array.
    """
    _check_rank("send", communicator, rank)
    xs = list(x) if isinstance(x, (tuple, list)) else [x]
    if not xs:
        raise ValueError("send: there is nothing in x to send")
    return Send(communicator, rank, tag).apply((*xs, anchor()))[0]


def recv(
    communicator: CommunicatorBase,
    rank: int,
    delegate_variable: Any = None,
    tag: int = 0,
    force_tuple: bool = False,
) -> Any:
    """Wait for what another rank sends by `send`; in backward, send it the gradient.

    Args:
        communicator: Between the ranks.
        rank: From whom.
        delegate_variable: Of what this rank sent before, so that a backward from what is returned comes by that, too.
            None: this is the first, or the delegate is tied to something else. A backward that shall be differentiated
            again needs one, be it the empty ``Variable(numpy.zeros(0, "float32"))``: its ``grad_var`` is the delegate
            of the message with the gradients.
        tag: Number of the message.
        force_tuple: Return a tuple even of one.

    Returns:
        A Variable, or a tuple of them if there are several. If backward does not come by any of them, the sender waits
        for a gradient in vain: tie one to the loss with `pseudo_connect` where none is used.

    Raises:
        ValueError: `rank` is this rank, or not in the group.
        TypeError: `delegate_variable` is not a Variable.
    """
    _check_rank("recv", communicator, rank)
    if delegate_variable is not None and not isinstance(delegate_variable, Variable):
        given = type(delegate_variable).__name__
        raise TypeError(f"recv: delegate_variable is what send() returned, a Variable, and not {given}")
    ys, _ = receive(communicator, rank, delegate_variable, tag)
    return ys if force_tuple or len(ys) > 1 else ys[0]


def receive(
    communicator: CommunicatorBase, rank: int, delegate_variable: Variable | None = None, tag: int = 0
) -> tuple[tuple[Variable, ...], Variable]:
    """`recv` of a tuple, and a delegate variable that stands for it where the tuple is not used."""
    *ys, received = Recv(communicator, rank, tag).apply((anchor(delegate_variable),))
    return tuple(ys), received


class _Message(Communication):
    """Integers in a message have no gradient: the answer is to the others only, and there is none if there are none."""

    def __init__(self, communicator: CommunicatorBase, rank: int, tag: int, device: Device | None = None) -> None:
        self.communicator, self._rank, self._tag, self._device = communicator, rank, tag, device

    def _take_note(self, message: tuple[Array, ...]) -> None:
        """Remember, on both ranks, which of the arrays have a gradient."""
        self._with_gradients = [i for i, array in enumerate(message) if array.dtype.kind not in "biu"]


class Send(_Message):
    """Give a message; get nothing."""

    function_name = "send"

    @property
    def label(self) -> str:
        """With the rank."""
        return f"Send (to rank {self._rank})"

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Several arrays travel as a tuple, one as it is."""
        self.communicator.send(xs[0] if len(xs) == 1 else xs, self._rank, self._tag)
        self._device = get_device_of(xs[0])
        self._take_note(xs)
        return ()

    def inverse(self) -> Communication:
        """Wait for the gradients, and take them to where the message was."""
        return Recv(self.communicator, self._rank, self._tag, self._device)

    def _answer(self, gys: list[Variable], tie: Variable) -> tuple[Sequence[Variable | None], Variable]:
        gxs: list[Variable | None] = [None] * (len(self.inputs) - 1)
        if not self._with_gradients:
            return gxs, tie
        *found, answered = self.inverse().apply((tie,))
        for i, gx in zip(self._with_gradients, found, strict=True):
            gxs[i] = gx
        return gxs, answered


class Recv(_Message):
    """Give nothing; get a message, on `device` if that is not None."""

    function_name = "recv"

    @property
    def label(self) -> str:
        """With the rank."""
        return f"Recv (from rank {self._rank})"

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Wait."""
        data = self.communicator.recv(self._rank, self._tag)
        ys = data if isinstance(data, tuple) else (data,)
        self._take_note(ys)
        return ys if self._device is None else tuple([self._device.send(y) for y in ys])

    def inverse(self) -> Communication:
        """Send the gradients."""
        return Send(self.communicator, self._rank, self._tag)

    def _answer(self, gys: list[Variable], tie: Variable) -> tuple[Sequence[Variable | None], Variable]:
        if not self._with_gradients:
            return (), tie
        return (), self.inverse().apply((*[gys[i] for i in self._with_gradients], tie))[0]


def _check_rank(function: str, communicator: CommunicatorBase, rank: int) -> None:
    if rank == communicator.rank:
        raise ValueError(f"{function}: rank {rank} is this rank itself, which would wait for itself without end")
    if not 0 <= rank < communicator.size:
        raise ValueError(f"{function}: there is no rank {rank}; the group has ranks 0 to {communicator.size - 1}")
