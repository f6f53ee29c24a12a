"""``chainer.links.model``. Models."""
