"""Training: the training loop, its extensions and triggers.

- `Trainer` runs a loop: an updater (`updaters`) makes each step, and extensions (`extensions`) run when their triggers
  (`triggers`) fire.
- `snapshots`: which snapshots `extensions.snapshot` keeps.
- To write an extension, derive from `Extension`, or decorate a function of the trainer with `make_extension`.
"""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.training": "PRIORITY_EDITOR PRIORITY_READER PRIORITY_WRITER Extension Updater",
    },
    modules="extensions snapshots triggers updaters",
)
