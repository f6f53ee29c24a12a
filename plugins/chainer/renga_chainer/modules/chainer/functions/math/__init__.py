"""``chainer.functions.math``. Mathematics."""
