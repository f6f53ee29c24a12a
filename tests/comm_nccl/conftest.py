from __future__ import annotations

import os
from pathlib import Path

import fake_libnccl
import pytest

FAKE_SITE = Path(__file__).with_name("fake_site")


@pytest.fixture(scope="session")
def fake_environment() -> dict[str, str]:
    """Variables of a process that takes the stand-ins for CuPy and libnccl for the real ones."""
    try:
        library = fake_libnccl.library()
    except fake_libnccl.NoCompilerError as error:
        pytest.skip(str(error))
    path = os.pathsep.join([str(FAKE_SITE), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    return {"RENGA_NCCL_LIBRARY": str(library), "PYTHONPATH": path}
