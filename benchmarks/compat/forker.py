"""Runs programs, each in a fork of this process: `python -m benchmarks.compat.forker chainer` (or `renga`).

This process has already imported the large modules, so a program starts in milliseconds; its changes disappear with the
fork. Each line on standard input is a request in JSON, ``{"program": PATH, "arguments": […], "folder": null}``; the
answer is ``{"status": 0, "output": "…", "errors": "…"}``. `benchmarks.compat.stage` sends the requests.

With Chainer it runs in Chainer's environment: it needs only Python's library.
"""

import atexit
import contextlib
import json
import os
import runpy
import signal
import sys
import tempfile
import traceback

SECONDS = 120
"""Time limit of a program in seconds."""


def run_with_chainer(program, arguments):
    """Run like ``python PROGRAM ARGUMENT …``."""
    sys.argv[:] = [program, *arguments]
    sys.path.insert(0, os.path.dirname(program))
    runpy.run_path(program, run_name="__main__")


def run_with_renga(program, arguments):
    """Run like ``renga run-chainer PROGRAM ARGUMENT …``."""
    from renga_chainer.runner import run

    sys.exit(run([program, *arguments]))


def prepare_chainer():
    import numpy  # noqa: F401  # Chainer itself reads variables of the environment when it is imported


def prepare_renga():
    import renga.distributions
    import renga.functions
    import renga.links
    import renga.training.extensions
    import renga_chainer.runner  # noqa: F401

    for face in (renga.functions, renga.links):
        for name in face.__all__:  # import names that are imported at first use
            getattr(face, name)


LIBRARIES = {"chainer": (prepare_chainer, run_with_chainer), "renga": (prepare_renga, run_with_renga)}


def fork(run, program, arguments, folder):
    """Answer one request."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(SECONDS)
                os.dup2(output.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                if folder is not None:
                    os.chdir(folder)
                status = inside(run, program, arguments)
            finally:
                os._exit(status)
        status = os.waitpid(child, 0)[1]
        answer = {"status": -(status & 127) if status & 127 else status >> 8}
        for name, file in (("output", output), ("errors", errors)):
            file.seek(0)
            answer[name] = file.read().decode(errors="replace")
    return answer


def inside(run, program, arguments):
    """Run the program in this process; return the exit status."""
    status = 0
    try:
        run(program, arguments)
    except SystemExit as exit:
        status = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()  # os._exit does not call them
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def main(library):
    prepare, run = LIBRARIES[library]
    answers = os.fdopen(os.dup(1), "w")
    requests = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # the program must not read requests
    prepare()
    for line in requests:
        print(json.dumps(fork(run, **json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
