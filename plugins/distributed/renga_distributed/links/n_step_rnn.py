"""Recurrent networks over sequences that are cut into pieces, one a rank."""

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
    """A recurrent network that starts from the final state of another rank, and sends its own to the next.

    Args:
        actual_link: One of `NStepLSTM`, `NStepGRU`, `NStepRNNReLU`, `NStepRNNTanh` or, in both directions,
            `NStepBiLSTM` and so on.
        communicator: Between the ranks.
        rank_in: Whose final state is the initial one here. None: it is zero.
        rank_out: Who gets the final state. None: nobody.

    Returns:
        A link, called with the sequences only. It returns what `actual_link` does and, after that, a delegate variable
        of what was sent, from which (or from something tied to it by `pseudo_connect`) backward must start; None where
        nothing was.

    Raises:
        ValueError: `actual_link` is something else.
    """
    return MultiNodeNStepRNN(actual_link, communicator, rank_in, rank_out)


class MultiNodeNStepRNN(Chain):
    """What `create_multi_node_n_step_rnn` makes.

    Attributes:
        actual_rnn: The link inside.
        n_cells: How many arrays its state consists of.
    """

    actual_rnn: NStepRNNBase
    spans_ranks = True
    """For `renga_distributed.recovery`: this is a part of a model that other ranks do not have."""

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
            inputs: What `actual_rnn` takes after the initial state: the sequences.
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
