"""Conformance kits: what a provider of each kind must show, in-tree and third parties' alike.

A kit is a class of tests. To apply it, subclass it in a test file::

    from renga_testing.suites import ArrayBackendSuite


    class TestMine(ArrayBackendSuite):
        provider = "mine"

or, without a file, ``renga check array_backend:mine``. pytest prints what was declared, checked and skipped.

Reading guide
-------------
- `suite`: what all kits share, and the rules that keep them honest. `outcome_counts`: counting what was checked.
- `plugin`: `PluginSuite`, what every plugin must show, whatever it provides.
- `array_backend`: `ArrayBackendSuite`; `array_names`: the part of NumPy that a backend must have.
- `kernel`, `communicator`, `optimizer`, `optimizer_hook`, `extension`, `trigger`, `iterator`, `model`, `dataset`,
  `file_format`: a kit each, of the same names.
- `compiler`: the kit of compilers, and `compiler_steps`, what it compiles.
- `communicator_programs`: what the kit of communicators runs on each rank. `stepwise_run`: the small run that
  extensions and triggers are tried in. `comparing`: how results are compared. `values`: an object to save.
  `examples`: what examples are made of, and how they differ.

This package needs pytest, so nothing else imports it.
"""

from renga_testing.suites.array_backend import ArrayBackendSuite
from renga_testing.suites.communicator import CommunicatorSuite
from renga_testing.suites.compiler import CompilerSuite
from renga_testing.suites.dataset import DatasetSuite
from renga_testing.suites.extension import ExtensionSuite
from renga_testing.suites.file_format import FileFormatSuite
from renga_testing.suites.iterator import IteratorSuite
from renga_testing.suites.kernel import KernelSuite
from renga_testing.suites.model import ModelSuite
from renga_testing.suites.optimizer import OptimizerSuite
from renga_testing.suites.optimizer_hook import OptimizerHookSuite
from renga_testing.suites.plugin import PluginSuite
from renga_testing.suites.suite import ProviderSuite, Suite, classes_for, needs, suite_of
from renga_testing.suites.trigger import TriggerSuite

__all__ = [
    "ArrayBackendSuite",
    "CommunicatorSuite",
    "CompilerSuite",
    "DatasetSuite",
    "ExtensionSuite",
    "FileFormatSuite",
    "IteratorSuite",
    "KernelSuite",
    "ModelSuite",
    "OptimizerHookSuite",
    "OptimizerSuite",
    "PluginSuite",
    "ProviderSuite",
    "Suite",
    "TriggerSuite",
    "classes_for",
    "needs",
    "suite_of",
]
