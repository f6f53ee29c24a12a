"""Tools around pictures: files, boxes, masks, archives, predictions for a whole data set, checks of values.

- `bbox`, `mask`: intersection over union, non-maximum suppression, from masks to boxes and back.
- `image`: pictures and labels read from files and written to them; pictures side by side.
- `iterator`: a model applied to all examples of an iterator.
- `archive`: files taken out of archives.
- `pretrained`: files of weights, found, downloaded and checked.
- `testing`: checks that images, boxes, data sets and models keep the conventions of `renga_cv`.
- `checks`: checks of arguments that the functions of `renga_cv` share.
"""
