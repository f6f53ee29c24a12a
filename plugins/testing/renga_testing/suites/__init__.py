"""Conformance kits: requirements for the providers of each kind, in Renga and of third parties.

A kit is a class of tests. Subclass it in a test file::

    from renga_testing.suites import ArrayBackendSuite


    class TestMine(ArrayBackendSuite):
        provider = "mine"

or, without a file, ``renga check array_backend:mine``. pytest prints what was declared, checked and skipped.

Reading guide
-------------
- `suite`: base class of all kits, with common rules. `outcome_counts`: counts the checks.
- `plugin`: `PluginSuite`, requirements for every plugin.
- `array_backend`: `ArrayBackendSuite`; `array_names`: the names of NumPy that a backend must have.
- A file named like a kind (`kernel`, `optimizer`, `command`): its kit. `compiler_steps`: programs for compilers.
- `called`: common base of the kits of functions and links; `inputs`: their arguments.
- `communicator_programs`: programs that the kit of communicators runs on each rank. `stepwise_run`: the short run for
  extensions, triggers and updaters. `training_parts`: parts for updaters, evaluators and tasks.
- `marked_processes`: finds processes that launchers and checks leave running. `comparing`: compares results. `values`:
  an object to save. `examples`: creates and compares examples.

This package needs pytest, so nothing else imports it.
"""

from renga_testing.suites.array_backend import ArrayBackendSuite
from renga_testing.suites.command import CommandSuite
from renga_testing.suites.communicator import CommunicatorSuite
from renga_testing.suites.compiler import CompilerSuite
from renga_testing.suites.converter import ConverterSuite
from renga_testing.suites.dataset import DatasetSuite
from renga_testing.suites.doctor_check import DoctorCheckSuite
from renga_testing.suites.evaluator import EvaluatorSuite
from renga_testing.suites.extension import ExtensionSuite
from renga_testing.suites.file_format import FileFormatSuite
from renga_testing.suites.function import FunctionSuite
from renga_testing.suites.function_hook import FunctionHookSuite
from renga_testing.suites.iterator import IteratorSuite
from renga_testing.suites.kernel import KernelSuite
from renga_testing.suites.launcher import LauncherSuite
from renga_testing.suites.link import LinkSuite
from renga_testing.suites.model import ModelSuite
from renga_testing.suites.onnx_converter import OnnxConverterSuite
from renga_testing.suites.optimizer import OptimizerSuite
from renga_testing.suites.optimizer_hook import OptimizerHookSuite
from renga_testing.suites.plugin import PluginSuite
from renga_testing.suites.suite import ProviderSuite, Suite, classes_for, needs, suite_of
from renga_testing.suites.task import TaskSuite
from renga_testing.suites.trigger import TriggerSuite
from renga_testing.suites.updater import UpdaterSuite

__all__ = [
    "ArrayBackendSuite",
    "CommandSuite",
    "CommunicatorSuite",
    "CompilerSuite",
    "ConverterSuite",
    "DatasetSuite",
    "DoctorCheckSuite",
    "EvaluatorSuite",
    "ExtensionSuite",
    "FileFormatSuite",
    "FunctionHookSuite",
    "FunctionSuite",
    "IteratorSuite",
    "KernelSuite",
    "LauncherSuite",
    "LinkSuite",
    "ModelSuite",
    "OnnxConverterSuite",
    "OptimizerHookSuite",
    "OptimizerSuite",
    "PluginSuite",
    "ProviderSuite",
    "Suite",
    "TaskSuite",
    "TriggerSuite",
    "UpdaterSuite",
    "classes_for",
    "needs",
    "suite_of",
]
