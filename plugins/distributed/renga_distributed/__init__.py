"""Renga plugin: distributed."""
