"""``chainer.links.model.vision.googlenet``: Renga's, and what subclasses of the network put in `functions`."""

from renga_nn.links.vision.googlenet import _average_5 as _average_pooling_2d_k5  # noqa: F401 - for programs
from renga_nn.links.vision.googlenet import _average_7 as _average_pooling_2d_k7  # noqa: F401
from renga_nn.links.vision.googlenet import _dropout as _dropout
from renga_nn.links.vision.googlenet import _normalize as _local_response_normalization  # noqa: F401
from renga_nn.links.vision.googlenet import _pool as _max_pooling_2d  # noqa: F401

__all__: list[str] = []
