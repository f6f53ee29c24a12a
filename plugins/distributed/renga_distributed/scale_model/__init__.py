"""Predicts the time of an iteration of data-parallel training, for any number of devices.

- `cluster`: links, the machines that they join, and constants of known links.
- `allreduce`: time of an all-reduce, for each algorithm.
- `stragglers`: delay of the slowest of n devices.
- `iteration`: computation and communication of an iteration, and its time.
- `failures`: useful fraction of the time when devices fail.
- `published`, `published_recently`: published figures, compared with those of this model.
- `calibration`: measures the constants of the present links, through a communicator.
- `drawing`: the curves.

Times are seconds, sizes bytes, bandwidths bytes per second.
"""

from .allreduce import ALGORITHMS, allreduce_time
from .calibration import Calibration, Fit, calibrate
from .cluster import LINKS, Cluster, Link
from .drawing import DrawingError, draw
from .failures import MEASURED, WAYS, Failures, Recovery, predict_failures
from .iteration import MODELS, SCHEDULES, WIRE_DTYPES, Prediction, Step, predict
from .published import CONSTANTS, Published, published
from .stragglers import expected_maximum

__all__ = [
    "ALGORITHMS",
    "CONSTANTS",
    "LINKS",
    "MEASURED",
    "MODELS",
    "SCHEDULES",
    "WAYS",
    "WIRE_DTYPES",
    "Calibration",
    "Cluster",
    "DrawingError",
    "Failures",
    "Fit",
    "Link",
    "Prediction",
    "Published",
    "Recovery",
    "Step",
    "allreduce_time",
    "calibrate",
    "draw",
    "expected_maximum",
    "predict",
    "predict_failures",
    "published",
]
