"""Renga plugin: nn."""
