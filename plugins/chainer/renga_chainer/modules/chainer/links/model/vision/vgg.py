"""``chainer.links.model.vision.vgg``: Renga's, and the pooling that subclasses of its networks put in `functions`."""

from renga_nn.links.vision.vgg import _pool as _max_pooling_2d  # noqa: F401 - for programs

__all__: list[str] = []
