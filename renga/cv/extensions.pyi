# Written by `renga stubs`: names that are looked up when they are used, and where each is.


__all__ = [
]
