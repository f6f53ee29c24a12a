"""``python -m benchmarks.recovery.again COMMAND …``: repeat a command until it succeeds."""

import signal
import subprocess
import sys

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
while True:
    job = subprocess.Popen(sys.argv[1:])
    try:
        if job.wait() == 0:
            break
    finally:
        if job.poll() is None:
            job.terminate()
