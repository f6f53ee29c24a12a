"""Tasks: what networks are trained for. A run file chooses one: ``[task] use = "regression"``.

- `task`: `Task`, the base class. It defines the loss of a batch, the reported metrics, the samples, and how a trained
  network is used.
- `evaluator`: `TaskEvaluator`, which computes means over the test data and passes them to the task.
- `classification`, `regression`, `language_modelling`, `autoencoding`, `adversarial`, `sequence_to_sequence`: the
  tasks, one file each.

To write your own: docs/how-to/write-a-task.md.
"""

from renga_training.tasks.adversarial import Adversarial
from renga_training.tasks.autoencoding import Autoencoding
from renga_training.tasks.classification import Classification
from renga_training.tasks.evaluator import TaskEvaluator
from renga_training.tasks.language_modelling import LanguageModelling
from renga_training.tasks.regression import Regression
from renga_training.tasks.sequence_to_sequence import SequenceToSequence
from renga_training.tasks.task import Row, Task

__all__ = [
    "Adversarial",
    "Autoencoding",
    "Classification",
    "LanguageModelling",
    "Regression",
    "Row",
    "SequenceToSequence",
    "Task",
    "TaskEvaluator",
]
