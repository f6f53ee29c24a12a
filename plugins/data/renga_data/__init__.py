"""Renga plugin: data."""
