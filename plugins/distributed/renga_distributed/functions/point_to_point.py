"""Differentiable messages between two ranks."""

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
    """Send one or more variables to another rank, which calls `recv`; backward receives the gradients.

    Backward answers every message with floating numbers by one message with the gradients, even if `x` requires none.
    Integers have no gradient; a message with only integers is not answered.

    Args:
        x: A variable or array, or a tuple or list of them.
        communicator: Between the ranks.
        rank: The receiver.
        tag: Tag of the message: `recv` receives messages with the same tag, in the order in which they were sent.

    Returns:
        An empty delegate variable. **Backward must reach it**, otherwise the other rank's gradient is not received:
        start from it, pass it to the next `recv`, or tie it to the loss with `pseudo_connect`. If there is no backward,
        send under ``no_backprop_mode`` on both ranks.

    Raises:
        ValueError: `rank` is this rank, or not in the group; `x` is an empty tuple.
        TypeError: An element of `x` is not a variable or array.
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
    """Receive variables from another rank that calls `send`; backward sends the gradients.

    Args:
        communicator: Between the ranks.
        rank: The sender.
        delegate_variable: The result of an earlier `send`, so that backward from the received variables reaches that
            message too. None: this is the first message, or the delegate variable is tied to something else. A backward
            that will be differentiated again needs one; it may be the empty ``Variable(numpy.zeros(0, "float32"))``.
            Its ``grad_var`` is the delegate variable of the message with the gradients.
        tag: Tag of the message.
        force_tuple: Return a tuple even for a single variable.

    Returns:
        A Variable, or a tuple of several. If backward reaches none of them, the sender waits for a gradient for ever:
        if none is used, tie one to the loss with `pseudo_connect`.

    Raises:
        ValueError: `rank` is this rank, or not in the group.
        TypeError: `delegate_variable` is not a Variable.
    """
    _check_rank("recv", communicator, rank)
    if delegate_variable is not None and not isinstance(delegate_variable, Variable):
        given = type(delegate_variable).__name__
        raise TypeError(f"recv: delegate_variable must be a result of send(), a Variable, not {given}")
    ys, _ = receive(communicator, rank, delegate_variable, tag)
    return ys if force_tuple or len(ys) > 1 else ys[0]


def receive(
    communicator: CommunicatorBase, rank: int, delegate_variable: Variable | None = None, tag: int = 0
) -> tuple[tuple[Variable, ...], Variable]:
    """`recv` of a tuple, with a delegate variable that represents it if the tuple is not used."""
    *ys, received = Recv(communicator, rank, tag).apply((anchor(delegate_variable),))
    return tuple(ys), received


class _Message(Communication):
    """Integers in a message have no gradient: the answer contains only the others, and may be omitted."""

    def __init__(self, communicator: CommunicatorBase, rank: int, tag: int, device: Device | None = None) -> None:
        self.communicator, self._rank, self._tag, self._device = communicator, rank, tag, device

    def _take_note(self, message: tuple[Array, ...]) -> None:
        """Record, on both ranks, which of the arrays have a gradient."""
        self._with_gradients = [i for i, array in enumerate(message) if array.dtype.kind not in "biu"]


class Send(_Message):
    """Sends a message, and receives nothing."""

    function_name = "send"

    @property
    def label(self) -> str:
        """The name, with the rank."""
        return f"Send (to rank {self._rank})"

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Several arrays are sent as a tuple, a single one without a tuple."""
        self.communicator.send(xs[0] if len(xs) == 1 else xs, self._rank, self._tag)
        self._device = get_device_of(xs[0])
        self._take_note(xs)
        return ()

    def inverse(self) -> Communication:
        """Receive the gradients, and move them to the device of the message."""
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
    """Sends nothing, and receives a message, on `device` if that is not None."""

    function_name = "recv"

    @property
    def label(self) -> str:
        """The name, with the rank."""
        return f"Recv (from rank {self._rank})"

    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Receive."""
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
        raise ValueError(f"{function}: rank {rank} is this rank itself, which would wait for itself for ever")
    if not 0 <= rank < communicator.size:
        raise ValueError(f"{function}: there is no rank {rank}; the group has ranks 0 to {communicator.size - 1}")
