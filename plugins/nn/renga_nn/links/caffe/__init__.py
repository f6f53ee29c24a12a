"""Networks trained with Caffe.

- `function`: `CaffeFunction`, which reads a file and computes its network.
- `layers`: the conversion of each kind of layer.
- `schema`: the required fields of Caffe's files. `wire`: reading their format, Protocol Buffers.
"""

from renga_nn.links.caffe.function import CaffeFunction

__all__ = ["CaffeFunction"]
