"""Kernels stay inside their arrays, and do nothing that C++ leaves undefined: by the sanitizers of g++."""

import json

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # compiles all kernels once more


@pytest.fixture
def sanitized(exercise, library):
    """Kernels watched by AddressSanitizer and UndefinedBehaviorSanitizer, which end the process at an error."""

    def run(*options):
        return exercise(
            *options,
            LD_PRELOAD=f"{library('libasan.so')}:{library('libstdc++.so')}",
            ASAN_OPTIONS="detect_leaks=0",
            RENGA_KERNEL_FLAGS="-g -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all",
        )

    return run


def test_kernels_stay_inside_their_arrays(sanitized):
    done = sanitized()
    assert done.returncode == 0, done.stderr[-4000:]
    assert len(json.loads(done.stdout)) >= 15


@pytest.mark.parametrize(
    ("op", "how", "message"),
    [
        ("relu", "one beyond", "heap-buffer-overflow"),
        ("relu", "overflow", "signed integer overflow"),
        ("sgd_update", "misaligned", "misaligned address"),
    ],
)
def test_a_mistake_is_found(sanitized, op, how, message):
    done = sanitized("--ops", op, "--break", how)
    assert done.returncode != 0
    assert message in done.stderr
