"""``chainer.links.model.vision``. Networks for images."""
