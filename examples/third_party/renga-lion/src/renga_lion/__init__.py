"""The Lion optimizer and a small mixer model, as a plugin for Renga."""
