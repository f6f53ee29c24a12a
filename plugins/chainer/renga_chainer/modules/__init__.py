"""What a Chainer program gets under the same path, where it is not simply what Renga has."""
