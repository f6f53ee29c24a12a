"""The command ``renga port``: rewrites a program for Chainer to Renga's own API, with libcst (``renga[port]``).

- `command`: what the command line says, the diff, and the lists. `rewriting`: one source text to another.
- `equivalents`: where Renga has what Chainer has under another name, and what is said where it has not.
- `facts`: what rules ask of the program. `rules`: one module for each kind of spelling.
- `imports`: import statements, after all else has been rewritten.

Only `command` is imported without libcst.
"""
