"""Converts weights that other programs have trained for Renga's networks.

- `convert`: `convert_weights`, from a file to a file. `command`: the same as ``renga weights convert``.
- `recipe`: `Recipe`, which maps arrays of a file to arrays of a network; `RECIPES`, all recipes.
- `torchvision`: torchvision's classifiers. `keras`: Keras' ResNet50. `darknet`, `face_api`: tiny YOLOs.
  `deeplab`: DeepLab v3 on MobileNetV2.
- `tensorflow_js`, `tflite`: files of TensorFlow.js and TensorFlow Lite. `layout`: files that contain only numbers.

Written files have, besides the network's values, entries such as ``arguments/mean``: arguments of the class that the
weights need. `renga_cv.utils.pretrained` reads them.
"""
