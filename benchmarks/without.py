"""`python -m benchmarks without --python PYTHON`: tests Renga without each of its packages.

PYTHON is a separate environment with an installed wheel of Renga. The package of each plugin is removed in turn from
its folder of packages, with its entry point, and then restored. Each time, Renga is imported, `renga
doctor` runs, and a program tests functions, optimizers, data, the training loop, ranks and files.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["main"]

LEFT = """
import json
import numpy as np
import renga
from renga_core.plugin import RengaPluginError

def compute():
    x = renga.Variable(np.ones(3, np.float32))
    renga.functions.sum(renga.functions.relu(x)).backward()

found = {}
for name, work in {
    "functions": compute,
    "optimizers": lambda: renga.optimizers.Adam(),
    "data": lambda: renga.iterators.SerialIterator([1], 1).next(),
    "loop": lambda: renga.training.Trainer,
    "ranks": lambda: renga.distributed.create_communicator("single"),
    "files": lambda: renga.serializers.save_hdf5,
    "compile": lambda: renga.compile,
}.items():
    try:
        work()
        found[name] = ""
    except (RengaPluginError, TypeError) as error:
        found[name] = str(error).splitlines()[0]
print(json.dumps(found))
"""


def main(argv: list[str]) -> int:
    """Print what works without each package; return 1 if Renga cannot be imported, or doctor finds an error."""
    parser = argparse.ArgumentParser("python -m benchmarks without", description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, metavar="PYTHON", help="the Python interpreter of this environment")
    python = str(Path(parser.parse_args(argv).python).absolute())
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip())
    points = next(site.glob("renga-*.dist-info")) / "entry_points.txt"
    packages = dict(re.findall(r"^(\w+) = (renga_\w+)\.plugin$", points.read_text(), re.MULTILINE))
    sick = 0
    for plugin, package in sorted(packages.items()):
        with _taken_away(site / package, points, plugin):
            # Not in a checkout, because its packages would be found first.
            doctor = subprocess.run(
                [python, "-m", "renga", "doctor"], capture_output=True, text=True, cwd=points.parent
            )
            left = subprocess.run([python, "-c", LEFT], capture_output=True, text=True, cwd=points.parent)
        sick += doctor.returncode != 0 or left.returncode != 0
        print(f"without {plugin}: doctor ends with {doctor.returncode}")
        for name, problem in json.loads(left.stdout).items() if left.returncode == 0 else [("import", left.stderr)]:
            print(f"  {name:10} {problem or 'works'}")
    return 1 if sick else 0


@contextmanager
def _taken_away(folder: Path, points: Path, plugin: str) -> Iterator[None]:
    text, aside = points.read_text(), folder.with_name(f"without-{folder.name}")
    shutil.move(folder, aside)
    points.write_text(re.sub(rf"^{plugin} = .*\n", "", text, flags=re.MULTILINE))
    try:
        yield
    finally:
        shutil.move(aside, folder)
        points.write_text(text)
