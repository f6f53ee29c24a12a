"""YOLO: detection in one pass, from the second version on (Redmon & Farhadi 2017, 2018).

- `yolo_base`: `YOLOBase`, the base class of all versions. `yolo_v2`: `YOLOv2`. `yolo_v2_tiny`: `YOLOv2Tiny`. `yolo_v3`:
  `YOLOv3`.
"""
