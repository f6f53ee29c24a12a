"""A check that `eps` does not underflow in half precision."""

from __future__ import annotations

import numpy as np

from renga_core.graph import Parameter

__all__ = ["check_eps"]


def check_eps(eps: float, param: Parameter) -> None:
    """Raise an error if `eps` rounds to zero in the dtype of `param`, so that it could not avoid a division by zero.

    Raises:
        ValueError: `eps` is not zero, but rounds to zero in this dtype.
    """
    dtype = np.dtype(param.dtype)
    if eps != 0 and dtype.type(eps) == 0:
        raise ValueError(
            f"parameter {param.name or '?'}: eps={eps} rounds to zero in {dtype}, and divisions give NaN. Update in "
            "float32 (optimizer.use_fp32_update()), or choose an eps of at least "
            f"{np.finfo(dtype).smallest_subnormal:.1e}"
        )
