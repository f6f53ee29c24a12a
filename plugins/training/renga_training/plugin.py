"""What this package offers to Renga: tasks, updaters, converters, evaluators, extensions, triggers; and the loop."""

from typing import Any

from renga_core.plugin import Kind, Namespace, Provider, hookimpl
from renga_training.kind import CONVERTER, EVALUATOR, TASK, UPDATER

_EXTENSIONS = "renga_training.extensions"
_TRIGGERS = "renga_training.triggers"


_TASKS = {
    "classification": ("Classification", "To which class does it belong?"),
    "regression": ("Regression", "Which number belongs to it?"),
    "language_modelling": ("LanguageModelling", "What comes next? For text"),
    "autoencoding": ("Autoencoding", "What is it in a few numbers? Variational or plain"),
    "adversarial": ("Adversarial", "Which examples could be real? A generator and a critic (WGAN-GP)"),
    "sequence_to_sequence": ("SequenceToSequence", "Which sequence belongs to it?"),
}


@hookimpl
def renga_kinds() -> list[Kind[Any]]:
    """Task, updater, converter, evaluator."""
    return [TASK, UPDATER, CONVERTER, EVALUATOR]


@hookimpl
def renga_tasks() -> list[Provider]:
    """What networks are trained for."""
    return [Provider(name, f"renga_training.tasks.{name}:{cls}", 1, text) for name, (cls, text) in _TASKS.items()]


@hookimpl
def renga_updaters() -> list[Provider]:
    """How a step of the optimization is made."""
    updaters = "renga_training.updaters"
    return [
        Provider("standard", f"{updaters}:StandardUpdater", 1, "A batch an update, or several (accumulate)"),
        Provider("adversarial", f"{updaters}:AdversarialUpdater", 1, "A critic some times, then a generator"),
        Provider("parallel", f"{updaters}:ParallelUpdater", 1, "A batch on several devices of one process"),
    ]


@hookimpl
def renga_converters() -> list[Provider]:
    """How arrays are made of a batch."""
    converters = "renga_training.converters"
    return [
        Provider("concat", f"{converters}:concat", 1, "Stack examples; pad those of different lengths if asked"),
        Provider(
            "lists",
            f"{converters}:lists",
            1,
            "Leave examples apart, in lists: for examples of different sizes",
            capabilities=frozenset({"lists"}),
        ),
    ]


@hookimpl
def renga_evaluators() -> list[Provider]:
    """How a network is evaluated on the test data."""
    return [Provider("standard", "renga_training.tasks.evaluator:TaskEvaluator", 1, "Means over the test data")]


@hookimpl
def renga_extensions() -> list[Provider]:
    """Log, table, bar, plot, snapshots, learning-rate schedules, statistics."""

    def extension(name: str, attribute: str, summary: str, needs: tuple[str, ...] = (), hint: str = "") -> Provider:
        return Provider(name, f"{_EXTENSIONS}:{attribute}", 1, summary, needs=needs, install_hint=hint)

    plot, tensorboard = "pip install 'renga[plot]'", "pip install 'renga[tensorboard]'"
    return [
        extension("log_report", "LogReport", "Means over intervals, in log.jsonl and log.csv"),
        extension("print_report", "PrintReport", "The log as a table on the screen"),
        extension("progress_bar", "ProgressBar", "A bar on a terminal, a line now and then elsewhere", ("tqdm",)),
        extension("plot_report", "PlotReport", "Curves in a picture", ("matplotlib",), plot),
        extension("tensorboard_report", "TensorBoardReport", "Curves in TensorBoard", ("tensorboardX",), tensorboard),
        extension("snapshot", "snapshot", "The whole state of the run, to resume from"),
        extension("snapshot_best", "snapshot_best", "The model as it was when a value was best"),
        extension("moving_average", "MovingAverage", "Averages of the parameters, which are evaluated and used"),
        extension("samples", "Samples", "What the network makes, as a picture or a text"),
        extension("cosine_schedule", "CosineSchedule", "Warm the learning rate up, then lower it along a cosine"),
        extension("early_stopping", "EarlyStopping", "End training when a value has stopped getting better"),
        extension("fail_on_non_number", "FailOnNonNumber", "Stop when a parameter is no longer finite"),
        extension("exponential_shift", "ExponentialShift", "Multiply a hyperparameter by a rate, again and again"),
        extension("linear_shift", "LinearShift", "Move a hyperparameter evenly from one value to another"),
        extension("step_shift", "StepShift", "Multiply a hyperparameter by a factor every few calls"),
        extension("inverse_shift", "InverseShift", "Make a hyperparameter smaller, ever more slowly"),
        extension("multistep_shift", "MultistepShift", "Multiply a hyperparameter by a factor at given calls"),
        extension("polynomial_shift", "PolynomialShift", "Take a hyperparameter to zero along a power"),
        extension("warmup_shift", "WarmupShift", "Raise a hyperparameter evenly in the first calls"),
        extension("micro_average", "MicroAverage", "Report the ratio of two sums"),
        extension("parameter_statistics", "ParameterStatistics", "Report statistics of parameters and gradients"),
        extension(
            "variable_statistics_plot",
            "VariableStatisticsPlot",
            "Percentiles in a picture",
            ("matplotlib",),
            plot,
        ),
        extension("dump_graph", "DumpGraph", "The graph behind a loss, as a drawing"),
        extension("unchain_variables", "unchain_variables", "Let go of the graphs of reported variables"),
        extension("observe_lr", "observe_lr", "Report the learning rate"),
    ]


@hookimpl
def renga_triggers() -> list[Provider]:
    """When to do something."""

    def trigger(name: str, attribute: str, summary: str) -> Provider:
        return Provider(name, f"{_TRIGGERS}:{attribute}", 1, summary)

    return [
        trigger("interval", "IntervalTrigger", "Every so many epochs or iterations"),
        trigger("once", "OnceTrigger", "At the first time and never again"),
        trigger("manual_schedule", "ManualScheduleTrigger", "At given epochs or iterations"),
        trigger("time", "TimeTrigger", "Every so many seconds"),
        trigger("min_value", "MinValueTrigger", "When a value is the smallest so far"),
        trigger("max_value", "MaxValueTrigger", "When a value is the largest so far"),
        trigger("early_stopping", "EarlyStoppingTrigger", "Stop when a value has stopped getting better"),
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The loop, and what is public beside updaters, extensions and triggers."""
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
