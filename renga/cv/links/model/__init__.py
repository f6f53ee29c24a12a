"""The parts of each network."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    modules="deeplab faster_rcnn fpn light_head_rcnn mobilenet resnet segnet senet ssd vgg yolo",
)
