"""``pytest -p renga_chainer.pytest``: tests written for Chainer, with Renga."""

from renga_chainer.finder import install

install()
