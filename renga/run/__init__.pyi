# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.run.building import Training as Training
from renga.run.building import build as build
from renga.run.predicting import Predictor as Predictor
from renga.run.program import read_arguments as read_arguments
from renga.run.program import run_program as run_program
from renga.run.run_file import Choice as Choice
from renga.run.run_file import ExtensionChoice as ExtensionChoice
from renga.run.run_file import RunDescription as RunDescription
from renga.run.run_file import describe as describe
from renga.run.run_file import load as load
from renga.run.shipped import read_run as read_run
from renga.run.shipped import shipped_runs as shipped_runs

__all__ = [
    "Choice",
    "ExtensionChoice",
    "Predictor",
    "RunDescription",
    "Training",
    "build",
    "describe",
    "load",
    "read_arguments",
    "read_run",
    "run_program",
    "shipped_runs",
]
