"""Renga plugin: training."""
