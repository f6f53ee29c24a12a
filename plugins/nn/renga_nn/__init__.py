"""Functions, links, initializers, distributions and hooks for neural networks."""
