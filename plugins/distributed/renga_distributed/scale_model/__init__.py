"""How long an iteration of data-parallel training takes, for any number of devices.

- `cluster`: links, the machines that they join, and some that are known.
- `allreduce`: how long an all-reduce takes, algorithm by algorithm.
- `stragglers`: how late the last of n devices is.
- `iteration`: what is computed and sent, when, and the time of it all.
- `failures`: how much of the time is useful when devices fail.
- `published`, `published_recently`: figures that others measured, beside those of this model.
- `calibration`: the constants of the links here, measured through a communicator.
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
