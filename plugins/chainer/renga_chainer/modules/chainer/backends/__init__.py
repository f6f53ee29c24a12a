"""Array libraries, by Chainer's names."""
