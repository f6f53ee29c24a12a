"""PASCAL VOC: photographs with boxes, segments and instances of 20 classes."""
