"""Residual networks, and the blocks that they are made of."""
