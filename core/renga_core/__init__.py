"""The core of Renga."""
