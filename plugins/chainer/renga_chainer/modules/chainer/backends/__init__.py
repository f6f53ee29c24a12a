"""Array libraries, under Chainer's names."""
