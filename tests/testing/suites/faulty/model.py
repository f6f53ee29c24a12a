"""Models that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import numpy as np

import renga.functions as F
import renga.links as L
import renga_core.random
from renga import Chain, Parameter, config, using_config


class Right(Chain):
    """Two layers: the rest of this file derives from it."""

    def __init__(self, n_out: int = 10) -> None:
        super().__init__()
        with self.init_scope():
            self.hidden = L.Linear(None, 20)
            self.out = L.Linear(20, n_out)

    def forward(self, x):
        return self.out(F.tanh(self.hidden(x)))


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class ElevenClasses(Right):
    """it has a class too many"""

    breaks = "test_scores"

    def __init__(self) -> None:
        super().__init__(11)


class Doubles(Right):
    """its scores are in double precision"""

    breaks = "test_scores"

    def forward(self, x):
        return F.cast(super().forward(x), np.float64)


class Company(Right):
    """in testing, an example's scores depend on the batch"""

    breaks = "test_examples_are_independent"

    def forward(self, x):
        y = super().forward(x)
        return y - F.broadcast_to(F.mean(y, axis=0, keepdims=True), y.shape)


class NoisyTest(Right):
    """it is random in testing"""

    breaks = "test_testing_changes_nothing"

    def forward(self, x):
        y = super().forward(x)
        self.calls = getattr(self, "calls", 0) + 1
        return y * float(self.calls)


class LearnsInTesting(Right):
    """a statistic moves in testing"""

    breaks = "test_testing_changes_nothing"

    def __init__(self) -> None:
        super().__init__()
        self.add_persistent("seen", np.zeros((), np.float32))

    def forward(self, x):
        self.seen += len(x)
        return super().forward(x)


class Seedless(Right):
    """its parameters do not depend on the seed alone"""

    breaks = "test_seed_decides"
    made = []

    def __init__(self) -> None:
        super().__init__()
        self.made.append(1)
        self.out.W.array *= len(self.made)


class Unsaved(Right):
    """a number that matters is not saved"""

    breaks = "test_saving_and_loading"

    def __init__(self) -> None:
        super().__init__()
        self.scale = float(renga_core.random.generator(self.device.backend).uniform(1.0, 2.0))

    def forward(self, x):
        return super().forward(x) * self.scale


class SharedCopies(Right):
    """copies share their parameters"""

    breaks = "test_copying"

    def copy(self, mode="share"):
        return super().copy("share")


class Ornament(Right):
    """a parameter is not used"""

    breaks = "test_every_parameter_learns"

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.ornament = Parameter(np.zeros(3, np.float32))


class Backwards(Right):
    """the gradient points the wrong way"""

    breaks = "test_a_step_makes_the_loss_smaller"

    def forward(self, x):
        y = super().forward(x)
        # The value of y, the gradient of -y.
        return 2.0 * y.array - y if config.enable_backprop else y


class NoLink:
    """it is no Link"""

    breaks = "test_scores"


class Wanders(Right):
    """moving it to another device changes it"""

    breaks = "test_backends_agree"

    def to_device(self, device):
        for param in self.params(include_uninit=False):
            param.array *= 1.5
        return super().to_device(device)


class CentersItsBatch(Right):
    """it subtracts the mean from the batch in place"""

    breaks = "test_batch_is_unchanged"

    def forward(self, x):
        array = x.array
        array -= array.mean()
        return super().forward(x)


class IgnoresTesting(Right):
    """its dropout heeds no config.train"""

    breaks = "test_testing_changes_nothing"

    def forward(self, x):
        with using_config("train", True):
            return F.dropout(super().forward(x), 0.5)


class DrawsFromNumpy(Right):
    """its parameters come from NumPy's global random numbers"""

    breaks = "test_scores"

    def __init__(self) -> None:
        super().__init__()
        self.out.W.array[...] = np.random.normal(size=self.out.W.shape)


class LeavesTestMode(Right):
    """it leaves config.train off"""

    breaks = "test_every_parameter_learns"

    def forward(self, x):
        y = super().forward(x)
        config.train = False
        return y


class UnsavedStatistics(Right):
    """a mean of what it has seen in training is not saved"""

    breaks = "test_saving_and_loading"
    mean = 0.0

    def forward(self, x):
        if config.train:
            self.mean = 0.9 * self.mean + 0.1 * float(x.array.mean())
        return super().forward(x - self.mean)
