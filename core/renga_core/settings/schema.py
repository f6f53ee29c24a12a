"""The settings there are, as data: one row a key. Adding a setting is adding a row.

A file (``[tool.renga]`` or a run file), the environment, the command line and `using` all speak these keys. ``*`` in a
name stands for any word. The sections in `RUN_SECTIONS` describe one run and hold, beside the rows below, the arguments
of whatever their ``use`` names; `renga.run` checks those against its signature.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from .types import AtLeast

__all__ = ["RUN_ONLY", "RUN_SECTIONS", "SCHEMA", "Key", "find_key", "known_keys"]


class Key(NamedTuple):
    """One setting.

    Attributes:
        name: Full path, e.g. ``run.backend``.
        type: What the value must be, as an annotation.
        default: The value where nobody said anything.
        environment: Environment variable that sets it, or "".
        help: One sentence for `renga config`.
    """

    name: str
    type: Any
    default: Any
    environment: str
    help: str


_Count = Annotated[int, AtLeast(1)]
_Interval = tuple[_Count, Literal["epoch", "iteration"]]

SCHEMA: tuple[Key, ...] = (
    Key("plugins.disable", tuple[str, ...], (), "RENGA_PLUGINS_DISABLE", "plugins (or plugin:name) never imported"),
    Key("plugins.autoload", bool, True, "RENGA_PLUGIN_AUTOLOAD", "load plugins that are installed, unasked"),
    Key(
        "plugins.required",
        tuple[str, ...],
        (),
        "RENGA_PLUGINS_REQUIRED",
        "plugins without which Renga refuses to go on",
    ),
    Key("prefer.*.*", str, None, "", 'settles a clash: [prefer.<kind>] name = "plugin"'),
    Key(
        "run.backend",
        str | tuple[str, ...],
        "auto",
        "RENGA_BACKEND",
        "array backend and device: 'numpy', 'cupy:0', 'auto'",
    ),
    Key("run.communicator", str, "single", "RENGA_COMMUNICATOR", "how processes talk to each other"),
    Key("run.compiler", str, "replay", "RENGA_COMPILER", "what makes the steps faster that renga.compile is given"),
    Key("run.threads", _Count | None, None, "RENGA_THREADS", "threads of kernels on the CPU; otherwise the free cores"),
    Key("run.seed", Annotated[int, AtLeast(0)], 0, "RENGA_SEED", "seed of every random generator"),
    Key(
        "run.dtype",
        Literal["float16", "float32", "float64", "mixed16", "mixed_bf16"],
        "float32",
        "RENGA_DTYPE",
        "dtype of parameters and data; float16 (mixed16), bfloat16 (mixed_bf16): updated through copies in float32",
    ),
    Key(
        "run.loss_scale",
        Literal["dynamic"] | float | None,
        None,
        "",
        "factor on the loss, undone before the update: a number, or 'dynamic'; for float16",
    ),
    Key("run.epochs", _Count, 20, "RENGA_EPOCHS", "how many times the training data are gone through"),
    Key("run.out", str, "result", "RENGA_OUT", "folder for the log, plots and snapshots"),
    Key(
        "run.snapshot",
        _Interval,
        (1, "epoch"),
        "",
        "how often a snapshot is written; at the end of the run in any case",
    ),
    Key("run.keep_newest", _Count, 2, "", "how many snapshots are kept: the newest"),
    Key("run.keep_best", str | None, None, "", "value by which the best snapshot is kept, too: 'main/loss'"),
    Key(
        "run.keep_every_minutes",
        Annotated[float, AtLeast(0)],
        0.0,
        "",
        "one snapshot for so many minutes of training is kept, too; 0: none",
    ),
    Key(
        "run.standard_extensions",
        tuple[str, ...],
        ("log_report", "print_report", "progress_bar"),
        "",
        "trainer extensions that a run has without naming them; one that [[extensions]] names is that one instead",
    ),
    Key(
        "run.plugin",
        str | None,
        None,
        "",
        "Python file with what this run adds to the plugins, beside the run file: models, data sets, tasks of its own",
    ),
    Key("task.use", str, "classification", "", "what is trained for; the section's other keys are its arguments"),
    Key("model.use", str, None, "", "name of the model; the section's other keys are its arguments"),
    Key("data.use", str, None, "", "name of the data set; the section's other keys are its options"),
    Key("data.batch_size", _Count, 64, "", "examples in one mini-batch"),
    Key("iterator.use", str, "serial", "", "how batches are made; the section's other keys are its arguments"),
    Key("converter.use", str, None, "", "how arrays are made of a batch; otherwise as the task says"),
    Key("updater.use", str, None, "", "how an update is made; otherwise as the task says"),
    Key("evaluator.use", str, None, "", "how the network is evaluated; otherwise as the task says"),
    Key("evaluator.trigger", _Interval, (1, "epoch"), "", "how often the network is evaluated"),
    Key("optimizer.use", str, None, "", "name of the optimizer; the section's other keys are its arguments"),
    Key("hooks", tuple[dict[str, Any], ...], (), "", "optimizer hooks: [[hooks]] use = name, and its arguments"),
    Key("extensions", tuple[dict[str, Any], ...], None, "", "trainer extensions: [[extensions]] use, trigger, …"),
    Key("kernels.*", str, None, "", "kernel that must compute an operation: a plugin, a kernel's name, or 'reference'"),
    Key(
        "memory.keep",
        Annotated[int, AtLeast(0)],
        2**31 - 1,
        "RENGA_MEMORY_KEEP",
        "bytes of freed memory that are kept for the next NumPy arrays; 0: as the C library does by itself",
    ),
    Key(
        "distributed.timeout",
        Annotated[float, AtLeast(0)],
        0.0,
        "RENGA_DISTRIBUTED_TIMEOUT",
        "seconds that ranks wait for one that is late, before it is named and all are ended; 0: for ever",
    ),
    Key(
        "distributed.ranks_per_node",
        _Count | None,
        None,
        "RENGA_RANKS_PER_NODE",
        "act as if so many ranks, in their order, were on a machine; otherwise host names tell",
    ),
    Key("distributed.batch_size_per_rank", bool, False, "", "data.batch_size counts the examples of each process"),
    Key("distributed.overlap", bool, False, "", "average gradients while backward still computes others"),
    Key("distributed.double_buffering", bool, False, "", "average gradients during the next batch, use them late"),
    Key("distributed.sharded", bool, False, "", "each process keeps and updates its share of the optimizer's state"),
    Key(
        "distributed.allreduce_grad_dtype",
        Literal["float16", "bfloat16"] | None,
        None,
        "",
        "dtype in which gradients travel; otherwise their own",
    ),
    Key(
        "distributed.bucket_bytes",
        Annotated[int, AtLeast(0)],
        25 * 2**20,
        "",
        "gradients travel together until they are so many bytes",
    ),
    Key(
        "distributed.synchronized_batch_normalization",
        bool,
        False,
        "",
        "whether batch normalization sees the batches of all processes; otherwise its own",
    ),
    Key("distributed.scale_learning_rate", bool, False, "", "scale it when the number of processes changes"),
    Key(
        "distributed.compare_every",
        Annotated[int, AtLeast(0)],
        0,
        "",
        "iterations after which communicator 'resilient' compares the parameters of all processes; 0: never",
    ),
    Key("distributed.diverged", Literal["replace", "stop"], "replace", "", "what happens to a process that differs"),
    Key(
        "check.backends",
        tuple[str, ...],
        ("numpy",),
        "RENGA_CHECK_BACKENDS",
        "backends on which conformance kits test what is for every backend; 'all': those that can be used here",
    ),
    Key("dataset.root", str, None, "RENGA_DATASET_ROOT", "folder in which downloaded data are kept"),
    Key("dataset.mirror", str, None, "RENGA_DATASET_MIRROR", "address data sets are fetched from instead of their own"),
)

RUN_SECTIONS: tuple[str, ...] = ("task", "model", "data", "iterator", "converter", "updater", "evaluator", "optimizer")
"""Sections whose keys beside the rows above are arguments of what ``use`` names."""

RUN_ONLY: tuple[str, ...] = (*RUN_SECTIONS, "hooks", "extensions")
"""What describes one run: said in a run file, on the command line or in code, never in pyproject.toml."""

_EXACT = {row.name: row for row in SCHEMA if "*" not in row.name}
_PATTERNS = [row for row in SCHEMA if "*" in row.name]


def find_key(name: str) -> Key | None:
    """Return the row for `name`, or None. A key of a run section beside its rows gets a row that takes any value."""
    row = _EXACT.get(name)
    if row is not None:
        return row
    for row in _PATTERNS:
        # The last star takes the rest: names of providers may hold dots (conv2d.v1).
        words, pattern = name.split(".", row.name.count(".")), row.name.split(".")
        if len(words) == len(pattern) and all(
            part == word or (part == "*" and word) for part, word in zip(pattern, words, strict=True)
        ):
            return row._replace(name=name)
    section, dot, argument = name.partition(".")
    if section in RUN_SECTIONS and dot and argument:
        return Key(name, Any, None, "", f"argument of what {section}.use names")
    return None


def known_keys(near: str) -> list[str]:
    """Return the names `near` can have been meant for: its section's keys, or the sections where it names none."""
    section, dot, _ = near.partition(".")
    names = [row.name for row in SCHEMA]
    if not dot:
        return list(dict.fromkeys(name.partition(".")[0] for name in names))
    return [name for name in names if name.startswith(f"{section}.")] or names
