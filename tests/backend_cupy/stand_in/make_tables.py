"""Write `cupy_tables.json`: what the CuPy that is installed has, and which dtypes its functions take. Needs no GPU.

python tests/backend_cupy/stand_in/make_tables.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("cupy_tables.json")


def tables() -> dict[str, Any]:
    """``version``; names of the module and of those inside; ``methods`` of arrays; loops of ``ufuncs`` by name."""
    import cupy
    import cupyx.scipy.special

    def public(of: Any) -> list[str]:
        return [name for name in dir(of) if not name.startswith("_")]

    names = public(cupy)
    return {
        "version": cupy.__version__,
        "names": names,
        "linalg": public(cupy.linalg),
        "fft": public(cupy.fft),
        "special": public(cupyx.scipy.special),
        "methods": [name for name in dir(cupy.ndarray) if not name.startswith("__")],
        "ufuncs": {name: f.types for name in names if isinstance(f := getattr(cupy, name), cupy.ufunc)},
    }


if __name__ == "__main__":
    PATH.write_text(json.dumps(tables(), indent=1) + "\n")
    print(f"written: {PATH}")
