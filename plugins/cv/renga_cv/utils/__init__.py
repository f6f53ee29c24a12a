"""Tools around pictures: files, boxes, masks, archives, predictions for a whole data set, checks of values.

- `bbox`, `mask`: intersection over union, non-maximum suppression, conversions of masks.
- `image`: read and write pictures and labels; tile pictures.
- `iterator`: apply a model to all examples of an iterator.
- `archive`: unpack archives.
- `pretrained`: find, download and check weight files.
- `testing`: checks that images, boxes, data sets and models keep the conventions of `renga_cv`.
- `checks`: checks of arguments that the functions of `renga_cv` share.
"""
