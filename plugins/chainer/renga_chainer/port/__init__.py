"""The command ``renga port``: rewrites a program for Chainer to Renga's own API, with libcst (``renga[port]``).

- `command`: the command line, the diff, and the lists of remarks. `rewriting`: rewrites one source text.
- `equivalents`: Chainer's names that have another name in Renga, and advice for those without an equivalent.
- `facts`: analysis of the program for the rules. `rules`: one module per kind of change.
- `imports`: rewrites import statements last.

Only `command` is imported without libcst.
"""
