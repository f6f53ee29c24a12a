"""Programs under ``import chainer``, each in a process of its own: the import system is global."""

import subprocess
import sys
import textwrap

import pytest

HEAD = """
import warnings
from unittest import TestCase
import numpy as np
import pytest
import renga_chainer
renga_chainer.install(replace=True)
import chainer
import chainer.functions as F
import chainer.links as L
from chainer import backend, cuda, distributions, gradient_check, iterators, link_hooks, optimizers, serializers
from chainer import testing, training
from chainer.training import extensions

raises = TestCase().assertRaises
raises_regex = TestCase().assertRaisesRegex
warns = TestCase().assertWarns

def array(*shape, dtype='f'):
    return np.random.RandomState(0).uniform(-1, 1, shape).astype(dtype)

class Model(chainer.Link):
    def __init__(self, initializer):
        super().__init__()
        with self.init_scope():
            self.p = chainer.Parameter(initializer)
"""


@pytest.fixture
def run_as_chainer(tmp_path):
    """Runs a program, after `HEAD` and in an empty folder, with `chainer` being Renga; warnings are errors.

    Gives what it printed.
    """

    def run(program):
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-W", "error", "-c", HEAD + textwrap.dedent(program)],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
