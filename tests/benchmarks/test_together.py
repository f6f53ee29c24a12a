"""`python -m benchmarks together`."""

from benchmarks import together
from benchmarks.contestants import CONTESTANTS


def test_programs_at_the_same_time():
    step, busy = together._milliseconds(CONTESTANTS["renga"], "overhead_1_forward", 2, 0.05)
    assert step > 0
    assert busy >= 0


def test_a_row():
    assert together._row("mlp, renga", [(2.0, 3.0), (4.0, 3.0), (12.0, 3.5)]) == (
        "| mlp, renga | 2.0 | 4.0 (1.00) | 12.0 (1.50) | 3.0 | 3.0 | 3.5 |"
    )
