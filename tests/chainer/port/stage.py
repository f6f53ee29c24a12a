"""Runs ported programs in processes of their own, in which Chainer's imports are not installed.

``python stage.py FOLDER``: each program of the folder; writes its output and its status beside it. So that losses can
be compared with Chainer's, Renga draws from NumPy's global generator here, in Chainer's order; nothing else is changed.
"""

import os
import runpy
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import renga.datasets
import renga.functions
import renga.iterators
import renga.links
import renga.optimizers
import renga.training  # noqa: F401  # imported once, for all programs
import renga_chainer
from renga_chainer import random, scope
from renga_chainer.patches import initial_weights, lstm, order_sampler, walker_alias


def perform(program):
    os.chdir(tempfile.mkdtemp())
    sys.argv[:] = [str(program)]
    try:
        runpy.run_path(str(program), run_name="__main__")
        used = {name.partition(".")[0] for name in sys.modules}
        assert not used & {"chainer", "chainermn", "chainercv"}, used
        assert not renga_chainer.installed()
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def main():
    warnings.simplefilter("ignore")
    scope.set_everywhere(True)
    random.install()
    for part in (initial_weights, lstm, order_sampler, walker_alias):
        for cls, name, value in part.ADDITIONS:
            setattr(cls, name, value)
    for program in sorted(Path(sys.argv[1]).glob("*.py")):
        child = os.fork()
        if not child:
            for number, suffix in ((1, ".out"), (2, ".err")):
                os.dup2(os.open(program.with_suffix(suffix), os.O_WRONLY | os.O_CREAT), number)
            status = perform(program)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        program.with_suffix(".status").write_text(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))


main()
