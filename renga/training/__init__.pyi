# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.training import extensions as extensions
from renga.training import snapshots as snapshots
from renga.training import triggers as triggers
from renga.training import updaters as updaters
from renga_core.training import Extension as Extension
from renga_core.training import PRIORITY_EDITOR as PRIORITY_EDITOR
from renga_core.training import PRIORITY_READER as PRIORITY_READER
from renga_core.training import PRIORITY_WRITER as PRIORITY_WRITER
from renga_core.training import Updater as Updater
from renga_training.make_extension import make_extension as make_extension
from renga_training.out_folder import hold_folder as hold_folder
from renga_training.tasks.inference import Inference as Inference
from renga_training.tasks.task import Task as Task
from renga_training.trainer import Trainer as Trainer
from renga_training.triggers.interval_trigger import IntervalTrigger as IntervalTrigger
from renga_training.triggers.interval_trigger import get_trigger as get_trigger
from renga_training.updaters.parallel_updater import ParallelUpdater as ParallelUpdater
from renga_training.updaters.standard_updater import StandardUpdater as StandardUpdater

__all__ = [
    "Extension",
    "Inference",
    "IntervalTrigger",
    "PRIORITY_EDITOR",
    "PRIORITY_READER",
    "PRIORITY_WRITER",
    "ParallelUpdater",
    "StandardUpdater",
    "Task",
    "Trainer",
    "Updater",
    "extensions",
    "get_trigger",
    "hold_folder",
    "make_extension",
    "snapshots",
    "triggers",
    "updaters",
]
