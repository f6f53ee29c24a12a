"""Recurrent networks.

- One step: `lstm`; `tree_lstm`: `tree_lstm` and `slstm`, for one node of a tree.
- Several layers over whole sequences: `n_step_lstm`, `n_step_gru`, `n_step_rnn`, and bidirectional ones,
  `n_step_bilstm` and so on. `n_step`: shared code; `recurrence`: the loop over time steps.
"""

from renga_nn.functions.rnn.lstm import lstm
from renga_nn.functions.rnn.n_step_gru import n_step_bigru, n_step_gru
from renga_nn.functions.rnn.n_step_lstm import n_step_bilstm, n_step_lstm
from renga_nn.functions.rnn.n_step_rnn import n_step_birnn, n_step_rnn
from renga_nn.functions.rnn.tree_lstm import slstm, tree_lstm

__all__ = [
    "lstm",
    "n_step_bigru",
    "n_step_bilstm",
    "n_step_birnn",
    "n_step_gru",
    "n_step_lstm",
    "n_step_rnn",
    "slstm",
    "tree_lstm",
]
