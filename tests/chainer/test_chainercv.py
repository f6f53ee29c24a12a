"""``import chainercv``: its modules are there, and have the names of `renga.cv`."""

import pytest

MODULES = """
import importlib
import types
import chainercv
from renga.view import VIEWS
import renga.cv

assert chainercv.__version__ == "0.13.1"

def faces(module):
    yield module
    for name in VIEWS[module.__name__].modules:
        yield from faces(getattr(module, name))

# All of renga.cv is in chainercv, in the same modules, without a table that must be kept.
count = 0
for face in faces(renga.cv):
    mirror = importlib.import_module("chainercv" + face.__name__.removeprefix("renga.cv"))
    assert isinstance(mirror, types.ModuleType) and mirror is not face
    for name in set(face.__all__) - set(VIEWS[face.__name__].modules) - {"CamVidDataset"}:
        assert getattr(mirror, name) is getattr(face, name), (mirror, name)
        assert name in dir(mirror)
        count += 1
assert count > 200, count

# Each module that ChainerCV has for a function or a class, with what published programs import from it.
for path, names in {
    "chainer_experimental.datasets.sliceable.getter_dataset": "GetterDataset",
    "chainer_experimental.training.extensions": "make_shift",
    "datasets.camvid.camvid_dataset": "CamVidDataset camvid_label_names",
    "datasets.coco.coco_utils": "coco_bbox_label_names get_coco",
    "datasets.voc.voc_bbox_dataset": "VOCBboxDataset",
    "datasets.voc.voc_utils": "get_voc voc_bbox_label_names",
    "evaluations.eval_detection_voc": "calc_detection_voc_ap eval_detection_voc",
    "experimental.links.model.pspnet.pspnet": "PSPNet",
    "experimental.links.model.yolo.yolo_v2_tiny": "YOLOv2Tiny",
    "extensions.evaluator.detection_voc_evaluator": "DetectionVOCEvaluator",
    "functions.ps_roi_average_align_2d": "ps_roi_average_align_2d",
    "links.connection.conv_2d_bn_activ": "Conv2DBNActiv",
    "links.model.deeplab.deeplab_v3_plus": "DeepLabV3plus",
    "links.model.faster_rcnn.faster_rcnn": "FasterRCNN",
    "links.model.faster_rcnn.faster_rcnn_train_chain": "FasterRCNNTrainChain",
    "links.model.faster_rcnn.utils.bbox2loc": "bbox2loc",
    "links.model.faster_rcnn.utils.proposal_creator": "ProposalCreator",
    "links.model.fpn.faster_rcnn": "FasterRCNN",
    "links.model.fpn.mask_utils": "mask_to_segm segm_to_mask",
    "links.model.fpn.misc": "exp_clip scale_img",
    "links.model.pickable_sequential_chain": "PickableSequentialChain",
    "links.model.resnet.resblock": "ResBlock",
    "links.model.ssd.multibox_loss": "multibox_loss",
    "links.model.ssd.ssd_vgg16": "SSD300",
    "transforms.bbox.flip_bbox": "flip_bbox",
    "transforms.image.center_crop": "center_crop",
    "utils.bbox.bbox_iou": "bbox_iou",
    "utils.bbox.non_maximum_suppression": "non_maximum_suppression",
    "utils.download": "cached_download",
    "utils.image.read_image": "read_image",
    "utils.iterator.apply_to_iterator": "apply_to_iterator",
    "utils.mask.mask_iou": "mask_iou",
    "utils.testing.assertions.assert_is_bbox": "assert_is_bbox",
    "visualizations.vis_bbox": "vis_bbox",
    "visualizations.colormap": "voc_colormap",
}.items():
    module = importlib.import_module(f"chainercv.{path}")
    for name in names.split():
        found = getattr(module, name)
        assert not isinstance(found, types.ModuleType), (path, name)
        assert callable(found) or isinstance(found, (tuple, float)), (path, name, found)

# A function stays what its name means in the package, although a module of that name has been imported.
from chainercv.links.model.ssd import multibox_loss
import chainercv.links.model.ssd as ssd
assert multibox_loss is ssd.multibox_loss is renga.cv.links.model.ssd.multibox_loss

for path in ("links.nothing", "utils.bbox.nothing", "links.SSD300", "_private", "links.model.ssd.multibox_loss.deeper"):
    try:
        importlib.import_module(f"chainercv.{path}")
    except ModuleNotFoundError:
        continue
    raise AssertionError(path)
"""


def test_modules_and_names(run_as_chainer):
    run_as_chainer(MODULES)


PROGRAM = """
import chainercv
from chainercv.chainer_experimental.datasets.sliceable import GetterDataset, TransformDataset
from chainercv.datasets import SiameseDataset
from chainercv.evaluations import eval_detection_voc
from chainercv.extensions import DetectionVOCEvaluator

class Squares(GetterDataset):
    def __init__(self):
        super().__init__()
        self.add_getter('img', self.get_image)
        self.add_getter(('bbox', 'label'), self.get_annotation)

    def __len__(self):
        return 4

    def get_image(self, i):
        return np.full((3, 8, 8), i, np.float32)

    def get_annotation(self, i):
        return np.array([[0, 0, 4, i + 3]], np.float32), np.zeros(1, np.int32)

class Detector(chainer.Chain):
    def predict(self, imgs):
        n = len(imgs)
        return [np.array([[0, 0, 4, 4]], np.float32)] * n, [np.zeros(1, np.int32)] * n, [np.ones(1, np.float32)] * n

dataset = TransformDataset(Squares(), ('img', 'bbox', 'label'), lambda example: example)
assert isinstance(dataset, chainer.dataset.DatasetMixin)
it = iterators.SerialIterator(dataset, 2, repeat=False, shuffle=False)
evaluator = DetectionVOCEvaluator(it, Detector(), use_07_metric=True, label_names=('square',))
reporter = chainer.Reporter()
with reporter:
    found = evaluator()
assert found['main/map'] == found['main/ap/square'] > 0.9, found

# What is random is drawn from NumPy's global generator, which the program seeds.
pairs = SiameseDataset([(i, 0) for i in range(9)], [(i, 0) for i in range(9)])
np.random.seed(0)
once = pairs[:]
np.random.seed(0)
assert once == pairs[:]
"""


CAMVID = """
# Its labels have the key that ChainerCV gives them.
from pathlib import Path
from PIL import Image
from chainercv.datasets import CamVidDataset

Path('val.txt').write_text('/SegNet/CamVid/a.png /SegNet/CamVid/b.png')
Image.new('RGB', (3, 2)).save('a.png')
Image.new('L', (3, 2), 11).save('b.png')
dataset = CamVidDataset('.', 'val')
assert dataset.keys == ('img', 'iabel')
assert (dataset.slice[:, 'iabel'][0] == dataset[0][1]).all() and dataset[0][1].tolist() == [[-1] * 3] * 2
"""


def test_a_program(run_as_chainer):
    pytest.importorskip("PIL")
    run_as_chainer(PROGRAM + CAMVID)
