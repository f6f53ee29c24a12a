"""``chainer.functions.activation``. Activations."""
