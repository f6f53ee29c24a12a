"""Renga plugin: backend_numpy."""
