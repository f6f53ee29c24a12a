"""What half precision cannot hold."""

from __future__ import annotations

import numpy as np

from renga_core.graph import Parameter

__all__ = ["check_eps"]


def check_eps(eps: float, param: Parameter) -> None:
    """Raise an error if `eps` is zero in the dtype of `param`, where it could not protect from a division by zero.

    Raises:
        ValueError: It is zero there, though not in itself.
    """
    dtype = np.dtype(param.dtype)
    if eps != 0 and dtype.type(eps) == 0:
        raise ValueError(
            f"parameter {param.name or '?'}: eps={eps} is zero in {dtype}, so that divisions by it give NaN. Update in "
            "float32 (optimizer.use_fp32_update()), or choose an eps of at least "
            f"{np.finfo(dtype).smallest_subnormal:.1e}"
        )
