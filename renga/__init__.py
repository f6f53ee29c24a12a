"""Renga: define-by-run deep learning in which every part is a plugin."""
