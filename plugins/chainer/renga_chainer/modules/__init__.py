"""Modules for Chainer programs that differ from Renga's, under their paths in Chainer."""
