"""Networks that Caffe has trained.

- `function`: `CaffeFunction`, which reads a file and computes what the network in it computes.
- `layers`: what each kind of layer becomes.
- `schema`: the fields of Caffe's files that are needed. `wire`: the format they are written in, Protocol Buffers.
"""

from renga_nn.links.caffe.function import CaffeFunction

__all__ = ["CaffeFunction"]
