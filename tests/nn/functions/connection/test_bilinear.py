"""bilinear."""

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions import bilinear
from renga_testing.function_suite import FunctionSuite

N, J, K, L = 3, 4, 2, 5
E1, E2, W = np.zeros((N, J)), np.zeros((N, K)), np.zeros((J, K, L))


class TestBilinear(FunctionSuite):
    cases = {
        "product": {"shapes": ((N, J), (N, K), (J, K, L))},
        "affine": {"shapes": ((N, J), (N, K), (J, K, L), (J, L), (K, L), (L,))},
        "more axes": {"shapes": ((N, 2, 2), (N, 1, 2), (J, K, L), (J, L), (K, L), (L,))},
    }
    bad_inputs = {
        "rows": ((E1, np.zeros((2, K)), W), InvalidType, ("bilinear", "e2", "(3, 4)", "(2, 2)")),
        "weights": ((E1, E2, np.zeros((K, J, L))), InvalidType, ("bilinear", "W", "(4, 2, L)", "(2, 4, 5)")),
        "dtypes": ((E1, E2.astype("f"), W), InvalidType, ("bilinear", "e2", "float64", "float32")),
        "vector": ((np.zeros(3), E2, W), InvalidType, ("bilinear", "e1", "(N, ...)", "(3,)")),
        "integers": ((np.zeros((N, J), int), E2, W), InvalidType, ("bilinear", "e1", "floating")),
        "bias": (
            (E1, E2, W, np.zeros((J, L)), np.zeros((K, L)), np.zeros(J)),
            InvalidType,
            ("bilinear", "b", "(5,)", "(4,)"),
        ),
        "some only": ((E1, E2, W, np.zeros((J, L))), ValueError, ("bilinear", "missing: V2, b")),
        "list": (([[1.0]], E2, W), InvalidType, ("bilinear", "e1", "an array", "list")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(-1, 1, shape).astype(dtype) for shape in self.shapes)

    def call(self, *inputs):
        return bilinear(*inputs)

    def reference(self, e1, e2, W, V1=None, V2=None, b=None):
        e1, e2 = e1.reshape(len(e1), J), e2.reshape(len(e2), K)
        y = np.einsum("nj,nk,jkl->nl", e1, e2, W)
        return y if V1 is None else y + e1 @ V1 + e2 @ V2 + b

    def empty_inputs(self, dtype):
        return tuple(np.zeros((0, *shape[1:]) if i < 2 else shape, dtype) for i, shape in enumerate(self.shapes))


def test_all_three_or_none():
    with pytest.raises(ValueError, match=r"missing: V1$"):
        bilinear(E1, E2, W, None, np.zeros((K, L)), np.zeros(L))
