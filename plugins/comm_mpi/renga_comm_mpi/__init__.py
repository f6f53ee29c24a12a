"""Communicators between processes, on MPI.

- `plugin`: what this package provides, for the plugin manager.

Nothing is imported here: who asks for the plugin's description pays for nothing else.
"""
