from types import SimpleNamespace

import numpy as np
import pytest

from renga_core.graph import Parameter
from renga_core.link import Link
from renga_training.extensions import FailOnNonNumber


class Model(Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = Parameter(1.0, (2, 3))
            self.later = Parameter(1.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_names_the_parameter(trainer, bad):
    model = Model()
    trainer.optimizer = SimpleNamespace(target=model)
    trainer.go_to(7)
    FailOnNonNumber()(trainer)
    model.w.array[1, 2] = bad
    with pytest.raises(FloatingPointError, match="parameter main/w is not finite after iteration 7"):
        FailOnNonNumber()(trainer)
