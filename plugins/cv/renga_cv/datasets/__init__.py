"""Data sets of pictures."""
