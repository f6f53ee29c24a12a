"""What this package offers: tasks, updaters, converters, evaluators, extensions, triggers, and the training loop."""

from typing import Any

from renga_core.plugin import Kind, Namespace, Provider, hookimpl
from renga_training.kind import CONVERTER, EVALUATOR, TASK, UPDATER

_EXTENSIONS = "renga_training.extensions"
_TRIGGERS = "renga_training.triggers"


_TASKS = {
    "classification": ("Classification", "Which class does an example belong to?"),
    "regression": ("Regression", "Predict a number, or several"),
    "language_modelling": ("LanguageModelling", "Predict the next character or word of a text"),
    "autoencoding": ("Autoencoding", "Compress examples to a few numbers; variational or plain"),
    "adversarial": ("Adversarial", "Generate examples, with a generator and a critic (WGAN-GP)"),
    "sequence_to_sequence": ("SequenceToSequence", "Translate one sequence to another"),
}


@hookimpl
def renga_kinds() -> list[Kind[Any]]:
    """The kinds task, updater, converter and evaluator."""
    return [TASK, UPDATER, CONVERTER, EVALUATOR]


@hookimpl
def renga_tasks() -> list[Provider]:
    """The tasks."""
    return [Provider(name, f"renga_training.tasks.{name}:{cls}", 1, text) for name, (cls, text) in _TASKS.items()]


@hookimpl
def renga_updaters() -> list[Provider]:
    """The updaters."""
    updaters = "renga_training.updaters"
    return [
        Provider("standard", f"{updaters}:StandardUpdater", 1, "One batch per update, or several (accumulate)"),
        Provider("adversarial", f"{updaters}:AdversarialUpdater", 1, "Update a critic several times, then a generator"),
        Provider("parallel", f"{updaters}:ParallelUpdater", 1, "Split each batch over several devices of one process"),
    ]


@hookimpl
def renga_converters() -> list[Provider]:
    """The converters."""
    converters = "renga_training.converters"
    return [
        Provider("concat", f"{converters}:concat", 1, "Stack examples; optionally pad them to the same length"),
        Provider(
            "lists",
            f"{converters}:lists",
            1,
            "Keep examples in lists: for examples of different sizes",
            capabilities=frozenset({"lists"}),
        ),
    ]


@hookimpl
def renga_evaluators() -> list[Provider]:
    """The evaluators."""
    return [Provider("standard", "renga_training.tasks.evaluator:TaskEvaluator", 1, "Means over the test data")]


@hookimpl
def renga_extensions() -> list[Provider]:
    """The extensions: log, table, progress bar, plots, snapshots, learning-rate schedules, statistics."""

    def extension(name: str, attribute: str, summary: str, needs: tuple[str, ...] = (), hint: str = "") -> Provider:
        return Provider(name, f"{_EXTENSIONS}:{attribute}", 1, summary, needs=needs, install_hint=hint)

    plot, tensorboard = "pip install 'renga[plot]'", "pip install 'renga[tensorboard]'"
    return [
        extension("log_report", "LogReport", "Means over intervals, in log.jsonl and log.csv"),
        extension("print_report", "PrintReport", "The log as a table on the screen"),
        extension("progress_bar", "ProgressBar", "A progress bar on a terminal, occasional lines in a file", ("tqdm",)),
        extension("plot_report", "PlotReport", "Plots of curves", ("matplotlib",), plot),
        extension("tensorboard_report", "TensorBoardReport", "Curves in TensorBoard", ("tensorboardX",), tensorboard),
        extension("snapshot", "snapshot", "The whole state of the run, to resume from"),
        extension("snapshot_best", "snapshot_best", "The model with the best value"),
        extension("moving_average", "MovingAverage", "Moving averages of the parameters, used in evaluation"),
        extension("samples", "Samples", "Samples from the network, as an image or a text"),
        extension("cosine_schedule", "CosineSchedule", "Warm up the learning rate, then decrease it along a cosine"),
        extension("early_stopping", "EarlyStopping", "End training when a value no longer improves"),
        extension("fail_on_non_number", "FailOnNonNumber", "Stop when a parameter is no longer finite"),
        extension("exponential_shift", "ExponentialShift", "Multiply a hyperparameter by a rate at each call"),
        extension("linear_shift", "LinearShift", "Change a hyperparameter linearly from one value to another"),
        extension("step_shift", "StepShift", "Multiply a hyperparameter by a factor every few calls"),
        extension("inverse_shift", "InverseShift", "Reduce a hyperparameter, more and more slowly"),
        extension("multistep_shift", "MultistepShift", "Multiply a hyperparameter by a factor at given calls"),
        extension("polynomial_shift", "PolynomialShift", "Reduce a hyperparameter to zero by a power function"),
        extension("warmup_shift", "WarmupShift", "Increase a hyperparameter linearly in the first calls"),
        extension("micro_average", "MicroAverage", "Report the ratio of two sums"),
        extension("parameter_statistics", "ParameterStatistics", "Report statistics of parameters and gradients"),
        extension(
            "variable_statistics_plot",
            "VariableStatisticsPlot",
            "Plot percentiles",
            ("matplotlib",),
            plot,
        ),
        extension("dump_graph", "DumpGraph", "Draw the graph of a loss"),
        extension("unchain_variables", "unchain_variables", "Free the graphs of reported variables"),
        extension("observe_lr", "observe_lr", "Report the learning rate"),
    ]


@hookimpl
def renga_triggers() -> list[Provider]:
    """The triggers."""

    def trigger(name: str, attribute: str, summary: str) -> Provider:
        return Provider(name, f"{_TRIGGERS}:{attribute}", 1, summary)

    return [
        trigger("interval", "IntervalTrigger", "Every so many epochs or iterations"),
        trigger("once", "OnceTrigger", "After the first iteration only"),
        trigger("manual_schedule", "ManualScheduleTrigger", "At given epochs or iterations"),
        trigger("time", "TimeTrigger", "Every so many seconds"),
        trigger("min_value", "MinValueTrigger", "When a value is the smallest so far"),
        trigger("max_value", "MaxValueTrigger", "When a value is the largest so far"),
        trigger("early_stopping", "EarlyStoppingTrigger", "Stop when a value no longer improves"),
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The loop, and other public names than updaters, extensions and triggers."""
    updaters = "renga_training.updaters"
    return [
        Namespace("renga", names={"renga_training.summary": "DictSummary Summary"}),
        Namespace(
            "renga.training",
            names={
                "renga_training.make_extension": "make_extension",
                "renga_training.trainer": "Trainer",
                "renga_training.out_folder": "hold_folder",
                "renga_training.tasks.inference": "Inference",
                "renga_training.tasks.task": "Task",
                f"{_TRIGGERS}.interval_trigger": "IntervalTrigger get_trigger",
                f"{updaters}.parallel_updater": "ParallelUpdater",
                f"{updaters}.standard_updater": "StandardUpdater",
            },
        ),
        Namespace(
            "renga.training.extensions",
            names={
                f"{_EXTENSIONS}.dump_graph": "dump_graph",
                f"{_EXTENSIONS}.evaluator": "Evaluator",
                f"{_EXTENSIONS}.observe": "observe_value",
                f"{_EXTENSIONS}.snapshot": "Snapshot snapshot_object",
                "renga_training.make_extension": "make_extension",
            },
        ),
        Namespace(
            "renga.training.snapshots",
            names={
                "renga_training.snapshots.files": "SnapshotFile",
                "renga_training.snapshots.names": "SnapshotNames",
                "renga_training.snapshots.policy": "Best Newest OneEvery Policy",
                "renga_training.snapshots.store": "SnapshotStore",
            },
        ),
        Namespace(
            "renga.training.triggers",
            names={
                f"{_TRIGGERS}.best_value_trigger": "BestValueTrigger",
                f"{_TRIGGERS}.interval_trigger": "get_trigger",
            },
        ),
        Namespace(
            "renga.training.updaters",
            names={
                f"{updaters}.multiprocess_parallel_updater": "MultiprocessParallelUpdater",
                f"{updaters}.parts": "call",
            },
        ),
        Namespace("renga.testing", names={"renga_training.mock_updater": "get_trainer_with_mock_updater"}),
    ]
