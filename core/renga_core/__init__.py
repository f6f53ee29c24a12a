"""The core of Renga: the graph, the tree of links, the protocols for plugins, and the plugin manager.

The parts, from the bottom up; each imports only parts above it in this list, and no plugin:

- `errors`: `RengaError`, and «did you mean». `configuration`: `config`, thread-local state such as train mode;
  `settings`: values set in code, on the command line, in the environment or in files. `integers`: a small helper.
  `command_line`: the parser of commands. `tracepoints`: events of the engine, and `tracer`, which receives them.
- `plugin`: how plugins are found, chosen and loaded.
- `backend`: what an array library must provide, and which library owns an array.
- `kernel`: operations with several implementations. `random`: seeds and generators. `serializers`: protocols for saving
  and loading; plugins provide the file formats, npz included.
- `graph`: variables, functions, backward.
- `link`: parameters and trees of them. `reporter`: values that a computation reports.
- `optimizer`, `dataset`, `training`, `communicator`: protocols for the plugins that provide them.
- `kinds`: a table of the kinds of providers, such as `ARRAY_BACKEND`.

The import linter checks this order, and that there are no import cycles (pyproject.toml).
"""
