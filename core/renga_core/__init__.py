"""The core of Renga: the graph, the tree of links, the protocols that plugins follow, and the plugins' manager.

From below; each part imports only what stands above it in this list, and no plugin:

- `errors`: `RengaError`, and «did you mean». `configuration`: `config`, what a thread computes with; `settings`: values
  that are said in code, on the command line, in the environment or in files. `integers`: a small tool.
  `command_line`: the parser of commands. `tracepoints`: where the engine tells what it does, and `tracer`, for
  those who want to see it.
- `plugin`: how plugins are found, chosen and loaded.
- `backend`: what an array library must offer, and which one owns an array.
- `kernel`: operations that have several implementations. `random`: seeds and generators. `serializers`: what saves and
  loads; formats of files are plugins', npz too.
- `graph`: variables, functions, backward.
- `link`: parameters and trees of them. `reporter`: figures that a computation reports on its way.
- `optimizer`, `dataset`, `training`, `communicator`: what those are, for the plugins that provide them.
- `kinds`: the kinds of things that plugins provide, a row each, such as `ARRAY_BACKEND`.

The import linter checks the order, and that there is no import circle (pyproject.toml).
"""
