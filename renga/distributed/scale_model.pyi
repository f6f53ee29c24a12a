# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_distributed.scale_model import ALGORITHMS as ALGORITHMS
from renga_distributed.scale_model import CONSTANTS as CONSTANTS
from renga_distributed.scale_model import Calibration as Calibration
from renga_distributed.scale_model import Cluster as Cluster
from renga_distributed.scale_model import DrawingError as DrawingError
from renga_distributed.scale_model import Failures as Failures
from renga_distributed.scale_model import Fit as Fit
from renga_distributed.scale_model import LINKS as LINKS
from renga_distributed.scale_model import Link as Link
from renga_distributed.scale_model import MEASURED as MEASURED
from renga_distributed.scale_model import MODELS as MODELS
from renga_distributed.scale_model import Prediction as Prediction
from renga_distributed.scale_model import Published as Published
from renga_distributed.scale_model import Recovery as Recovery
from renga_distributed.scale_model import SCHEDULES as SCHEDULES
from renga_distributed.scale_model import Step as Step
from renga_distributed.scale_model import WAYS as WAYS
from renga_distributed.scale_model import WIRE_DTYPES as WIRE_DTYPES
from renga_distributed.scale_model import allreduce_time as allreduce_time
from renga_distributed.scale_model import calibrate as calibrate
from renga_distributed.scale_model import draw as draw
from renga_distributed.scale_model import expected_maximum as expected_maximum
from renga_distributed.scale_model import predict as predict
from renga_distributed.scale_model import predict_failures as predict_failures
from renga_distributed.scale_model import published as published

__all__ = [
    "ALGORITHMS",
    "CONSTANTS",
    "Calibration",
    "Cluster",
    "DrawingError",
    "Failures",
    "Fit",
    "LINKS",
    "Link",
    "MEASURED",
    "MODELS",
    "Prediction",
    "Published",
    "Recovery",
    "SCHEDULES",
    "Step",
    "WAYS",
    "WIRE_DTYPES",
    "allreduce_time",
    "calibrate",
    "draw",
    "expected_maximum",
    "predict",
    "predict_failures",
    "published",
]
