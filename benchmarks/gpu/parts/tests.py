"""Runs the tests that need a GPU or NVIDIA's compilers."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from benchmarks.environments import ROOT
from benchmarks.gpu.parts.reporting import emit, require_gpu


def main() -> None:
    require_gpu()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = ["-m", "pytest", "-q", "-m", "gpu", "-W", "default", "tests", f"--junit-xml={report}"]
        done = subprocess.run([sys.executable, *command], cwd=ROOT, check=False)
        for case in ET.parse(report).iter("testcase") if report.exists() else ():
            bad = next((x for x in case if x.tag in ("failure", "error", "skipped")), None)
            how = "passed" if bad is None else bad.tag
            why = "" if bad is None else (bad.get("message") or "").splitlines()[0][:300]
            emit(what=f"{case.get('classname')}::{case.get('name')}", works="yes" if how == "passed" else how, why=why)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
