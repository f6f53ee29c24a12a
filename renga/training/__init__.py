"""Training: the loop, what is called during it, and when.

- `Trainer` runs a loop: an updater (`updaters`) makes each step, extensions (`extensions`) do the rest when their
  triggers (`triggers`) say so.
- `snapshots`: which snapshots `extensions.snapshot` keeps.
- To write an extension: derive from `Extension`, or put `make_extension` above a function of the trainer.
"""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.training": "PRIORITY_EDITOR PRIORITY_READER PRIORITY_WRITER Extension Updater",
    },
    modules="extensions snapshots triggers updaters",
)
