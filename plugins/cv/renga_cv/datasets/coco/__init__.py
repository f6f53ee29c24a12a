"""COCO: photographs with boxes, masks and segments of objects."""
