"""``chainer.functions.rnn``. Recurrent functions."""
