"""The command, as a user sees it: what a program is told about itself, how it ends, and what is shown of its errors."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest


@pytest.fixture
def start(tmp_path):
    def start(program, *arguments, options=(), name="program.py"):
        (tmp_path / name).write_text(program)
        command = [sys.executable, "-m", "renga_chainer", *options, str(tmp_path / name), *arguments]
        return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


@pytest.fixture
def run(start):
    def run(program, *arguments, **options):
        process = start(program, *arguments, **options)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    return run


def test_a_program_is_told_what_python_would_tell_it(run, tmp_path):
    (tmp_path / "helper.py").write_text("number = 7\n")
    status, out, err = run(
        "import sys, pickle, atexit\n"
        "print(__name__, __file__, sys.argv[1:], __spec__, sys.modules['__main__'].__file__ == __file__)\n"
        "class Thing: pass\n"
        "atexit.register(lambda: print(type(pickle.loads(pickle.dumps(Thing()))) is Thing))\n"
        "from helper import number\n"
        "print(number)\n",
        "-m",
        "--gpu=-1",
    )
    assert (status, err) == (0, "")
    assert out == f"__main__ {tmp_path / 'program.py'} ['-m', '--gpu=-1'] None True\n7\nTrue\n"


def test_the_program_may_stand_after_the_end_of_options(run):
    status, out, err = run("import sys\nprint(sys.argv[1:])\n", "--gpu", "-1", options=["--replace", "--"])
    assert (status, out) == (0, "['--gpu', '-1']\n"), err


def test_the_traceback_begins_in_the_program(run, tmp_path):
    status, out, err = run("import chainer\n\n\ndef f():\n    raise KeyError('hat')\n\n\nf()\n")
    path = tmp_path / "program.py"
    assert (status, out) == (1, "")
    assert err.startswith(f'Traceback (most recent call last):\n  File "{path}", line 8, in <module>\n    f()\n')
    assert err.endswith("    raise KeyError('hat')\nKeyError: 'hat'\n")
    assert "renga_chainer" not in err
    assert "runpy" not in err


def test_a_syntax_error_is_shown_as_python_does(run, tmp_path):
    status, _, err = run("import chainer\nx = (\n")
    assert status == 1
    assert err.startswith(f'  File "{tmp_path / "program.py"}", line 2\n')


def test_the_programs_own_hook_is_asked(run):
    status, out, err = run("import sys\nsys.excepthook = lambda *of: print(of[0].__name__)\nraise ValueError(1)\n")
    assert (status, out, err) == (1, "ValueError\n", "")


@pytest.mark.parametrize(
    ("ends", "status", "said"), [("sys.exit()", 0, ""), ("sys.exit(3)", 3, ""), ("sys.exit('no')", 1, "no\n")]
)
def test_a_program_may_exit(run, ends, status, said):
    assert run(f"import sys\n{ends}\n") == (status, "", said)


def test_an_interrupted_program_ends_with_130(start):
    process = start("print('ready', flush=True)\nimport time\ntime.sleep(60)\n")
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.endswith("KeyboardInterrupt\n")
    assert "renga_chainer" not in err


def test_modules_and_what_is_not_there(tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "renga_chainer", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "tool.py").write_text("import sys, chainer\nprint(__name__, __package__, sys.argv[1:])\n")
    (tmp_path / "package" / "fails.py").write_text("import chainer\n1 / 0\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text("import chainer\nprint('folder')\n")
    assert run("-m", "package.tool", "a", "-b") == (0, "__main__ package ['a', '-b']\n", "")
    assert run("folder") == (0, "folder\n", "")
    status, _, err = run("-m", "package.fails")
    assert status == 1
    assert err.splitlines()[1] == f'  File "{tmp_path / "package" / "fails.py"}", line 2, in <module>'
    assert run("-m", "package.none") == (2, "", "renga run-chainer: there is no module named 'package.none'\n")
    assert run("-m", "none.none") == (2, "", "renga run-chainer: there is no module named 'none.none'\n")
    (tmp_path / "none").mkdir()
    status, out, err = run("none")
    assert (status, out) == (2, "")
    assert err == "renga run-chainer: 'none' is a folder without a __main__.py. Give the program: a file\n"
    assert run("none.py") == (2, "", "renga run-chainer: there is no file 'none.py'\n")
    assert run("--help")[1].startswith("usage: renga run-chainer")
    (tmp_path / "chainer.py").write_text("")
    (tmp_path / "program.py").write_text("import chainer\nprint(chainer.Variable.__name__)\n")
    status, _, err = run("program.py")
    assert status == 2
    assert err.startswith("renga run-chainer: chainer is installed, and Renga would hide it.")
    assert run("--replace", "program.py") == (0, "Variable\n", "")


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_a_program_starts_have_chainer_too(run, method):
    status, out, err = run(
        "import multiprocessing\n"
        "import chainer\n"
        "def f(x): return chainer.__version__, x + 1\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context({method!r}).Pool(1) as pool: print(pool.map(f, [1, 2]))\n"
    )
    assert (status, out, err) == (0, "[('7.8.1', 2), ('7.8.1', 3)]\n", "")


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="this NumPy takes float() of one element")
def test_float_of_an_array_of_one_element_says_what_to_install(run):
    status, _, err = run("import numpy as np\nfloat(np.ones((1, 1)))\n")
    assert status == 1
    assert "pip install 'renga[chainer]'" in err
