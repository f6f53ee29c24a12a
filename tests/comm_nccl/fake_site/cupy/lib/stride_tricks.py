import numpy as np


def as_strided(x, shape, strides):
    return x._view(np.lib.stride_tricks.as_strided(x._host, shape, strides))
