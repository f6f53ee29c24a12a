"""``python -m benchmarks.recovery.replicas COMMAND …``: starts and restarts replicas, which torchft does not do itself.

Starts one lighthouse, and ``RECOVERY_RANKS`` replicas; a replica that ends is restarted at once.
"""

import os
import signal
import subprocess
import sys
import time

from torchft.coordination import LighthouseServer


def main(command):
    heartbeat = int(os.environ["RECOVERY_HEARTBEAT_MS"])
    lighthouse = LighthouseServer(bind="[::]:0", min_replicas=2, heartbeat_timeout_ms=heartbeat)
    environment = {**os.environ, "TORCHFT_LIGHTHOUSE": lighthouse.address()}

    def start(rank):
        return subprocess.Popen(command, env={**environment, "RECOVERY_RANK": str(rank)})

    replicas = [start(rank) for rank in range(int(os.environ["RECOVERY_RANKS"]))]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        while True:
            for rank, replica in enumerate(replicas):
                if replica.poll() is not None:
                    replicas[rank] = start(rank)
            time.sleep(0.01)
    finally:
        for replica in replicas:
            replica.kill()


main(sys.argv[1:])
