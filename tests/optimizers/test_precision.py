import numpy as np
import pytest

import renga_optimizers as optimizers
from renga_core.backend import to_host

pytestmark = pytest.mark.usefixtures("needs_half")

WITH_EPS = ["AdaGrad", "AdaDelta", "RMSprop", "RMSpropGraves", "SMORMS3", "Adam", "AdamW", "AMSGrad", "AdaBound"]


@pytest.mark.parametrize("name", WITH_EPS)
def test_an_eps_that_is_zero_in_the_parameters_dtype_is_refused(name, train):
    training = train(getattr(optimizers, name)(eps=1e-9), [1.0], np.float16)
    with pytest.raises(
        ValueError, match=r"parameter W: eps=1e-09 rounds to zero in float16.*an eps of at least 6.0e-08"
    ):
        training([[0.0]])
    assert to_host(training.param).tolist() == [1]


@pytest.mark.parametrize("name", WITH_EPS)
def test_an_update_in_float32_takes_it(name, train):
    training = train(getattr(optimizers, name)(eps=1e-9), [1.0], np.float16)
    training.optimizer.use_fp32_update()
    array = training([[0.0], [1.0]])
    assert array.dtype == np.float16
    assert np.isfinite(array).all()


def test_zero_was_meant(train):
    assert np.isfinite(train(optimizers.Adam(eps=0), [1.0], np.float16)([[1.0]])).all()
