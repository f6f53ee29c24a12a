"""Renga plugin: optimizers."""
