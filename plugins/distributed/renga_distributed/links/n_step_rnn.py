"""Recurrent networks over sequences that are divided among ranks."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase
from renga_core.link import Chain
from renga_distributed.functions import pseudo_connect, recv, send
from renga_nn.links.n_step_rnn import NStepRNNBase

__all__ = ["create_multi_node_n_step_rnn"]


def create_multi_node_n_step_rnn(
    actual_link: NStepRNNBase, communicator: CommunicatorBase, rank_in: int | None = None, rank_out: int | None = None
) -> MultiNodeNStepRNN:
    """Make a recurrent network that starts from another rank's final state, and sends its own to the next rank.

    Args:
        actual_link: One of `NStepLSTM`, `NStepGRU`, `NStepRNNReLU`, `NStepRNNTanh`, or a bidirectional one such as
            `NStepBiLSTM`.
        communicator: Between the ranks.
        rank_in: The rank whose final state is the initial state here. None: zeros.
        rank_out: The rank that gets the final state. None: no rank.

    Returns:
        A link that is called with the sequences only. It returns the results of `actual_link` and a delegate variable
        of the message. Backward must start from the latter, or from a variable tied to it by `pseudo_connect`. It is
        None if nothing was sent.

    Raises:
        ValueError: `actual_link` is another kind of link.
    """
    return MultiNodeNStepRNN(actual_link, communicator, rank_in, rank_out)


class MultiNodeNStepRNN(Chain):
    """The link that `create_multi_node_n_step_rnn` makes.

    Attributes:
        actual_rnn: The wrapped link.
        n_cells: Number of arrays of its state.
    """

    actual_rnn: NStepRNNBase
    spans_ranks = True
    """For `renga_distributed.recovery`: this part of the model exists on this rank only."""

    def __init__(
        self, link: NStepRNNBase, communicator: CommunicatorBase, rank_in: int | None, rank_out: int | None
    ) -> None:
        if not isinstance(link, NStepRNNBase):
            raise ValueError(
                f"create_multi_node_n_step_rnn: actual_link is an NStepLSTM, NStepGRU, NStepRNNTanh or the like, "
                f"not {type(link).__name__}"
            )
        super().__init__(actual_rnn=link)
        self.communicator = communicator
        self.rank_in, self.rank_out = rank_in, rank_out
        self.n_cells = link.n_cells

    def forward(self, *inputs: Any) -> tuple[Any, ...]:
        """Receive the state, run all layers over all steps, send the state.

        Args:
            inputs: Arguments of `actual_rnn` after the initial state: the sequences.
        """
        states: list[Any] = [None] * self.n_cells
        if self.rank_in is not None:
            states = [recv(self.communicator, self.rank_in) for _ in states]
        outputs = self.actual_rnn(*states, *inputs)
        delegate = None
        if self.rank_out is not None:
            for state in outputs[: self.n_cells]:
                sent = send(state, self.communicator, self.rank_out)
                delegate = sent if delegate is None else pseudo_connect(delegate, sent)[0]
        return (*outputs, delegate)
