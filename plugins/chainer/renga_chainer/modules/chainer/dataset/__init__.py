"""``chainer.dataset``."""
