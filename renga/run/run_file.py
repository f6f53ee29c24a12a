"""A training run as data: its parts, their arguments, and where each setting comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from renga.run.plugin_file import add_plugin
from renga.run.shipped import read_run
from renga_core.settings import SettingsError, UnknownSetting, WrongType, fit, lookup, section, using, using_run_file
from renga_core.settings.schema import find_key

__all__ = ["Choice", "Distribution", "ExtensionChoice", "RunDescription", "describe", "load"]


@dataclass(frozen=True)
class Choice:
    """A provider and its arguments.

    Attributes:
        use: Name of the provider.
        arguments: Keyword arguments.
    """

    use: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ExtensionChoice:
    """A trainer extension, its arguments, and when to call it.

    Attributes:
        use: Name; or several names, of which the first usable one is taken. If none is usable, the extension is left
            out with a note.
        arguments: Keyword arguments for it.
        trigger: When to call it, ``(1, "epoch")``; a registered trigger; None: the extension's own trigger.
        key: Where it comes from, for messages; "": derived from its place in `RunDescription.extensions`.
    """

    use: str | tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    trigger: tuple[float, str] | Choice | None = None
    key: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """How several processes, the ranks, train one model.

    Attributes:
        batch_size_per_rank: Whether `RunDescription.batch_size` counts the examples of one rank, or of all ranks.
        overlap, double_buffering, sharded: See `renga_distributed.optimizers.create_multi_node_optimizer`.
        allreduce_grad_dtype, bucket_bytes: See `CommunicatorBase.default_config`.
        synchronized_batch_normalization: Whether batch normalization uses the batches of all ranks, or only its own
            rank's batch; see `renga_distributed.links.MultiNodeBatchNormalization`.
        scale_learning_rate: With `batch_size_per_rank` and a resilient communicator: scale the learning rate with the
            number of ranks. Do not use it if an extension changes the learning rate.
        compare_every, diverged: See `renga_distributed.recovery.TrainerRecovery`.
    """

    batch_size_per_rank: bool = False
    overlap: bool = False
    double_buffering: bool = False
    sharded: bool = False
    allreduce_grad_dtype: str | None = None
    bucket_bytes: int = 25 * 2**20
    synchronized_batch_normalization: bool = False
    scale_learning_rate: bool = False
    compare_every: int = 0
    diverged: str = "replace"


_STANDARD = find_key("run.standard_extensions")
assert _STANDARD is not None
STANDARD_EXTENSIONS = tuple(map(ExtensionChoice, _STANDARD.default))


@dataclass(frozen=True, kw_only=True)
class RunDescription:
    """A training run: a network is trained for a task on batches of examples, and evaluated.

    Attributes:
        task: The task, which defines the loss and the reported metrics.
        model: Makes the network. Called with a batch, it returns the output that the task needs, such as a score for
            each class.
        data: Makes the pair (train, test) of data sets.
        optimizer: Trains the network.
        hooks: Optimizer hooks.
        iterator: Makes the batches for training.
        converter, updater: Make arrays from a batch, and make an update; if `use` is empty, the task chooses.
        evaluator: Evaluates the network on the test data; if `use` is empty, the task chooses.
        evaluator_trigger: When to evaluate.
        extensions: All trainer extensions except evaluation and snapshots.
        batch_size: Examples in a batch.
        backend: A backend or device that must be available, or several in order of preference.
        communicator: Connects several processes.
        distributed: How several processes train together.
        dtype: Dtype of parameters and data. Parameters in half precision (float16 or mixed16, mixed_bf16) are updated
            through float32 copies.
        loss_scale: Factor on the loss, undone before the update; ``"dynamic"``: as large as possible while gradients
            are finite.
        seed: Seed of every random generator.
        epochs: Number of passes over the training data.
        out: Folder for the results.
        plugin: Path of a Python file that is an additional plugin for this run; None: no file.
        snapshot: When to write a snapshot.
        keep_newest: Number of newest snapshots to keep.
        keep_best: Name of a reported value: also keep the snapshot with its best value. None: no such snapshot.
        keep_every_minutes: Also keep one snapshot for each of these intervals of training, in minutes. 0: none.
        origins: Where each setting comes from, by full key (``optimizer.alpha``), for messages; missing: argument.
    """

    model: Choice
    data: Choice
    optimizer: Choice
    task: Choice = Choice("classification")
    hooks: tuple[Choice, ...] = ()
    iterator: Choice = Choice("serial")
    converter: Choice = Choice("")
    updater: Choice = Choice("")
    evaluator: Choice = Choice("")
    evaluator_trigger: tuple[int, str] = (1, "epoch")
    extensions: tuple[ExtensionChoice, ...] = STANDARD_EXTENSIONS
    batch_size: int = 64
    backend: str | tuple[str, ...] = "auto"
    communicator: str = "single"
    distributed: Distribution = Distribution()
    dtype: str = "float32"
    loss_scale: float | Literal["dynamic"] | None = None
    seed: int = 0
    epochs: int = 20
    out: str = "result"
    plugin: str | None = None
    snapshot: tuple[int, str] = (1, "epoch")
    keep_newest: int = 2
    keep_best: str | None = None
    keep_every_minutes: float = 0.0
    origins: Mapping[str, str] = field(default_factory=dict)

    def origin(self, key: str) -> str:
        """Return where the value of `key` comes from, as text."""
        return self.origins.get(key, "argument")

    def where(self, key: str) -> str:
        """Return where the value of `key` comes from, with the key if needed: ``run file a.toml, run.backend``."""
        origin = self.origin(key)
        flag = f"command line --{key.partition('.')[2]}"
        told = origin.endswith(key) or origin == flag or origin.startswith("environment ")
        return origin if told else f"{origin}, {key}"

    def as_document(self) -> dict[str, Any]:
        """Return the run as the tables of a run file: `load` reads them back to the same run."""

        def table(choice: Choice | ExtensionChoice) -> dict[str, Any]:
            return {**({"use": choice.use} if choice.use else {}), **choice.arguments}

        def with_trigger(choice: ExtensionChoice) -> dict[str, Any]:
            trigger = table(choice.trigger) if isinstance(choice.trigger, Choice) else choice.trigger
            return {**table(choice), "trigger": trigger} if trigger is not None else table(choice)

        names = ("plugin", "backend", "communicator", "dtype", "loss_scale", "seed", "epochs", "out")
        snapshots = ("snapshot", "keep_newest", "keep_best", "keep_every_minutes")
        evaluator = {**table(self.evaluator), "trigger": self.evaluator_trigger}
        optional = {name: table(getattr(self, name)) for name in ("converter", "updater")}
        return {
            # The extensions below are complete.
            "run": {**{name: getattr(self, name) for name in (*names, *snapshots)}, "standard_extensions": ()},
            **({"distributed": asdict(self.distributed)} if self.distributed != Distribution() else {}),
            "task": table(self.task),
            "model": table(self.model),
            "data": {**table(self.data), "batch_size": self.batch_size},
            "iterator": table(self.iterator),
            **{name: found for name, found in optional.items() if found},
            **({"evaluator": evaluator} if evaluator != {"trigger": (1, "epoch")} else {}),
            "optimizer": table(self.optimizer),
            **({"hooks": [table(hook) for hook in self.hooks]} if self.hooks else {}),
            "extensions": [with_trigger(extension) for extension in self.extensions],
        }


def load(run: str | Path, settings: Mapping[str, Any] | None = None) -> RunDescription:
    """Read a run file, or a run that ships with Renga (``lenet``).

    Args:
        run: Path of the file, or name of a run.
        settings: Settings that override the file, by full key: ``{"run.epochs": 3, "optimizer.use": "sgd"}``.

    Raises:
        SettingsError: The file cannot be read, a key is unknown, a value has the wrong type, or something is missing.
    """
    with ExitStack() as layers:
        layers.enter_context(using_run_file(read_run(str(run))))
        layers.enter_context(using(settings))
        return describe()


def describe() -> RunDescription:
    """Return the run that all current settings describe: run file, command line, environment and others.

    Raises:
        SettingsError: A key is unknown, a value has the wrong type, or something is missing.
    """
    origins: dict[str, str] = {}

    def said(key: str) -> Any:
        setting = lookup(key)
        origins[key] = setting.origin
        return setting.value

    def choice(name: str, optional: bool = False) -> Choice:
        use = said(f"{name}.use")
        if use is None and optional:
            use = ""
        if use is None:
            raise SettingsError(f"{name}.use is missing. Next: set it in the run file, or add --set {name}.use=NAME")
        arguments = section(name)
        origins.update({setting.key: setting.origin for setting in arguments.values()})
        return Choice(use, {name: setting.value for name, setting in arguments.items()})

    plugin = said("run.plugin")
    if plugin is not None:
        add_plugin(plugin, origins["run.plugin"])
    hooks = _list("hooks", said("hooks"), origins)
    extensions, standard = said("extensions"), said("run.standard_extensions")
    origins["run.standard_extensions.use"] = origins["run.standard_extensions"]
    return RunDescription(
        task=choice("task"),
        model=choice("model"),
        data=choice("data"),
        optimizer=choice("optimizer"),
        hooks=tuple(Choice(_name(entry, key, origins), _arguments(entry)) for key, entry in hooks),
        iterator=choice("iterator"),
        converter=choice("converter", optional=True),
        updater=choice("updater", optional=True),
        evaluator=choice("evaluator", optional=True),
        evaluator_trigger=said("evaluator.trigger"),
        extensions=_with_standard(standard, _extensions(extensions or (), origins)),
        batch_size=said("data.batch_size"),
        backend=said("run.backend"),
        communicator=said("run.communicator"),
        distributed=Distribution(**{entry.name: said(f"distributed.{entry.name}") for entry in fields(Distribution)}),
        dtype=said("run.dtype"),
        loss_scale=said("run.loss_scale"),
        seed=said("run.seed"),
        epochs=said("run.epochs"),
        out=said("run.out"),
        plugin=plugin,
        snapshot=said("run.snapshot"),
        keep_newest=said("run.keep_newest"),
        keep_best=said("run.keep_best"),
        keep_every_minutes=said("run.keep_every_minutes"),
        origins=origins,
    )


def _list(
    key: str, tables: Sequence[Mapping[str, Any]], origins: dict[str, str]
) -> list[tuple[str, Mapping[str, Any]]]:
    """Yield each table with the path of its key, ``hooks[0]``, and record where its entries come from."""
    named = [(f"{key}[{number}]", table) for number, table in enumerate(tables)]
    origins.update({f"{path}.{name}": origins[key] for path, table in named for name in table})
    return named


def _extensions(tables: Sequence[Mapping[str, Any]], origins: dict[str, str]) -> tuple[ExtensionChoice, ...]:
    return tuple(
        ExtensionChoice(
            _name(table, key, origins, str | tuple[str, ...]),
            {name: value for name, value in _arguments(table).items() if name != "trigger"},
            _trigger(table.get("trigger"), f"{key}.trigger", origins),
            key,
        )
        for key, table in _list("extensions", tables, origins)
    )


def _with_standard(names: Sequence[str], given: Sequence[ExtensionChoice]) -> tuple[ExtensionChoice, ...]:
    """The standard extensions, of which given extensions replace those of the same name, then the other given ones."""
    found: list[ExtensionChoice] = []
    for name in names:
        standard = ExtensionChoice(name, key="run.standard_extensions")
        found += [choice for choice in given if _is(choice, name)] or [standard]
    return (*found, *[choice for choice in given if not any(_is(choice, name) for name in names)])


def _is(choice: ExtensionChoice, name: str) -> bool:
    uses = (choice.use,) if isinstance(choice.use, str) else choice.use
    return any(use.rpartition(":")[2] == name.rpartition(":")[2] for use in uses)


def _trigger(value: Any, key: str, origins: dict[str, str]) -> tuple[float, str] | Choice | None:
    if isinstance(value, Mapping):
        origins.update({f"{key}.{name}": origins[key] for name in value})
        return Choice(_name(value, key, origins), _arguments(value))
    try:
        pair: tuple[float, str] | None = fit(value, tuple[int | float, str] | None)
    except TypeError:
        raise WrongType(key, origins[key], "array such as [1, 'epoch'], or table with use", value) from None
    if pair is not None and pair[1] not in ("epoch", "iteration"):
        raise UnknownSetting(pair[1], f"{origins[key]}, {key}", ["epoch", "iteration"])
    return pair


def _name(table: Mapping[str, Any], key: str, origins: Mapping[str, str], annotation: Any = str) -> Any:
    if "use" not in table:
        # All entries of the table come from where the table comes from.
        where = next((origins[f"{key}.{name}"] for name in table), "argument")
        raise SettingsError(f"{key}.use is missing (from {where}): name what to use")
    try:
        return fit(table["use"], annotation)
    except TypeError:
        raise WrongType(f"{key}.use", origins[f"{key}.use"], "str", table["use"]) from None


def _arguments(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != "use"}
