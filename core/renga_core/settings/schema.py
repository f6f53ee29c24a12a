"""The table of settings: one row for each key. To add a setting, add a row.

Files (``[tool.renga]`` or a run file), the environment, the command line and `using` use the same keys. ``*`` in a name
stands for any word. The sections in `RUN_SECTIONS` describe a run. Besides the rows below, they contain the arguments
of the provider in ``use``; `renga.run` checks these against its signature.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from .types import AtLeast

__all__ = ["RUN_ONLY", "RUN_SECTIONS", "SCHEMA", "Key", "find_key", "known_keys"]


class Key(NamedTuple):
    """One setting.

    Attributes:
        name: Full path, e.g. ``run.backend``.
        type: Type of the value, as an annotation.
        default: The value if no layer sets it.
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
    Key("plugins.autoload", bool, True, "RENGA_PLUGIN_AUTOLOAD", "load all installed plugins"),
    Key(
        "plugins.required",
        tuple[str, ...],
        (),
        "RENGA_PLUGINS_REQUIRED",
        "plugins that must be installed and ready",
    ),
    Key("prefer.*.*", str, None, "", 'choose among plugins with the same name: [prefer.<kind>] name = "plugin"'),
    Key(
        "run.backend",
        str | tuple[str, ...],
        "auto",
        "RENGA_BACKEND",
        "array backend and device: 'numpy', 'cupy:0', 'auto'",
    ),
    Key("run.communicator", str, "single", "RENGA_COMMUNICATOR", "communicator between processes"),
    Key("run.compiler", str, "replay", "RENGA_COMPILER", "compiler for the steps passed to renga.compile"),
    Key("run.threads", _Count | None, None, "RENGA_THREADS", "threads of CPU kernels (default: the available cores)"),
    Key("run.seed", Annotated[int, AtLeast(0)], 0, "RENGA_SEED", "seed of every random generator"),
    Key(
        "run.dtype",
        Literal["float16", "float32", "float64", "mixed16", "mixed_bf16"],
        "float32",
        "RENGA_DTYPE",
        "dtype of parameters and data; mixed16 (float16), mixed_bf16 (bfloat16): updated through float32 copies",
    ),
    Key(
        "run.loss_scale",
        Literal["dynamic"] | float | None,
        None,
        "",
        "loss scale for float16: a number, or 'dynamic'",
    ),
    Key("run.epochs", _Count, 20, "RENGA_EPOCHS", "number of passes over the training data"),
    Key("run.out", str, "result", "RENGA_OUT", "folder for the log, plots and snapshots"),
    Key(
        "run.snapshot",
        _Interval,
        (1, "epoch"),
        "",
        "when to write a snapshot; one is always written at the end",
    ),
    Key("run.keep_newest", _Count, 2, "", "number of newest snapshots to keep"),
    Key("run.keep_best", str | None, None, "", "also keep the snapshot with the best value: 'main/loss'"),
    Key(
        "run.keep_every_minutes",
        Annotated[float, AtLeast(0)],
        0.0,
        "",
        "also keep one snapshot for each of these intervals, in minutes; 0: none",
    ),
    Key(
        "run.standard_extensions",
        tuple[str, ...],
        ("log_report", "print_report", "progress_bar"),
        "",
        "trainer extensions of every run; an entry of [[extensions]] with the same name replaces it",
    ),
    Key(
        "run.plugin",
        str | None,
        None,
        "",
        "Python file beside the run file with plugins for this run: models, data sets, tasks",
    ),
    Key("task.use", str, "classification", "", "name of the task; the section's other keys are its arguments"),
    Key("model.use", str, None, "", "name of the model; the section's other keys are its arguments"),
    Key("data.use", str, None, "", "name of the data set; the section's other keys are its options"),
    Key("data.batch_size", _Count, 64, "", "examples in one mini-batch"),
    Key("iterator.use", str, "serial", "", "name of the iterator; the section's other keys are its arguments"),
    Key("converter.use", str, None, "", "name of the converter (default: the task's)"),
    Key("updater.use", str, None, "", "name of the updater (default: the task's)"),
    Key("evaluator.use", str, None, "", "name of the evaluator (default: the task's)"),
    Key("evaluator.trigger", _Interval, (1, "epoch"), "", "when to evaluate the network"),
    Key("optimizer.use", str, None, "", "name of the optimizer; the section's other keys are its arguments"),
    Key("hooks", tuple[dict[str, Any], ...], (), "", "optimizer hooks: [[hooks]] use = name, and its arguments"),
    Key("extensions", tuple[dict[str, Any], ...], None, "", "trainer extensions: [[extensions]] use, trigger, …"),
    Key("kernels.*", str, None, "", "required kernel of an operation: a plugin, a kernel's name, or 'reference'"),
    Key(
        "memory.keep",
        Annotated[int, AtLeast(0)],
        2**31 - 1,
        "RENGA_MEMORY_KEEP",
        "bytes of freed memory to keep for new NumPy arrays; 0: the C library decides",
    ),
    Key(
        "distributed.timeout",
        Annotated[float, AtLeast(0)],
        0.0,
        "RENGA_DISTRIBUTED_TIMEOUT",
        "seconds to wait for a late rank; then it is reported and all ranks end; 0: wait for ever",
    ),
    Key(
        "distributed.ranks_per_node",
        _Count | None,
        None,
        "RENGA_RANKS_PER_NODE",
        "assume this number of consecutive ranks per machine (default: by host name)",
    ),
    Key("distributed.batch_size_per_rank", bool, False, "", "data.batch_size counts the examples of each process"),
    Key("distributed.overlap", bool, False, "", "average gradients while backward computes the others"),
    Key("distributed.double_buffering", bool, False, "", "average gradients during the next batch"),
    Key("distributed.sharded", bool, False, "", "each process keeps and updates its share of the optimizer's state"),
    Key(
        "distributed.allreduce_grad_dtype",
        Literal["float16", "bfloat16"] | None,
        None,
        "",
        "dtype for sending gradients (default: their own)",
    ),
    Key(
        "distributed.bucket_bytes",
        Annotated[int, AtLeast(0)],
        25 * 2**20,
        "",
        "bytes of gradients that are sent together",
    ),
    Key(
        "distributed.synchronized_batch_normalization",
        bool,
        False,
        "",
        "batch normalization over the batches of all processes, not only its own",
    ),
    Key("distributed.scale_learning_rate", bool, False, "", "scale the learning rate with the number of processes"),
    Key(
        "distributed.compare_every",
        Annotated[int, AtLeast(0)],
        0,
        "",
        "compare the parameters of all processes every so many iterations (communicator 'resilient'); 0: never",
    ),
    Key("distributed.diverged", Literal["replace", "stop"], "replace", "", "what to do with a process that differs"),
    Key(
        "check.backends",
        tuple[str, ...],
        ("numpy",),
        "RENGA_CHECK_BACKENDS",
        "backends for conformance kits; 'all': every backend that can be used here",
    ),
    Key("dataset.root", str, None, "RENGA_DATASET_ROOT", "folder in which downloaded data are kept"),
    Key("dataset.mirror", str, None, "RENGA_DATASET_MIRROR", "address to download data sets from, not their own"),
)

RUN_SECTIONS: tuple[str, ...] = ("task", "model", "data", "iterator", "converter", "updater", "evaluator", "optimizer")
"""Sections whose other keys, beside the rows above, are arguments of the provider in ``use``."""

RUN_ONLY: tuple[str, ...] = (*RUN_SECTIONS, "hooks", "extensions")
"""Keys and sections that describe a run. They are not allowed in pyproject.toml."""

_EXACT = {row.name: row for row in SCHEMA if "*" not in row.name}
_PATTERNS = [row for row in SCHEMA if "*" in row.name]


def find_key(name: str) -> Key | None:
    """Return the row for `name`, or None. An argument in a run section gets a row that accepts any value."""
    row = _EXACT.get(name)
    if row is not None:
        return row
    for row in _PATTERNS:
        # The last star matches the rest: names of providers may contain dots (conv2d.v1).
        words, pattern = name.split(".", row.name.count(".")), row.name.split(".")
        if len(words) == len(pattern) and all(
            part == word or (part == "*" and word) for part, word in zip(pattern, words, strict=True)
        ):
            return row._replace(name=name)
    section, dot, argument = name.partition(".")
    if section in RUN_SECTIONS and dot and argument:
        return Key(name, Any, None, "", f"argument of {section}.use")
    return None


def known_keys(near: str) -> list[str]:
    """Return the names that `near` may mean: the keys of its section, or the sections if it has none."""
    section, dot, _ = near.partition(".")
    names = [row.name for row in SCHEMA]
    if not dot:
        return list(dict.fromkeys(name.partition(".")[0] for name in names))
    return [name for name in names if name.startswith(f"{section}.")] or names
