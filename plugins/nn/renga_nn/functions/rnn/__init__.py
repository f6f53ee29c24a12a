"""Steps of recurrent networks.

- `lstm`: one step of a long short-term memory.
"""

from renga_nn.functions.rnn.lstm import lstm

__all__ = ["lstm"]
