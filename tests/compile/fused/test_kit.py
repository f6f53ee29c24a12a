"""The compiler `fused` passes the kit of compilers."""

import pytest

from renga_testing.suites import CompilerSuite

pytest.importorskip("numba", reason="the compiler `fused` needs numba")


class TestFused(CompilerSuite):
    provider = "fused"
