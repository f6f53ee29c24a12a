"""Data sets of pictures, read from folders.

- `voc`, `coco`, `sbd`, `ade20k`, `camvid`, `cityscapes`, `cub`, `online_products`: a folder for each data set, with its
  classes in `labels`.
- `directory_parsing_label_dataset`: any pictures, a folder for each class.
- `digit_scenes`: scenes of handwritten digits, which come with Renga.
- `siamese_dataset`, `mixup_soft_label_dataset`: pairs, and mixtures, of the examples of another data set.
- `folders`: shared code for files that are missing or damaged, downloads.

With ``data_dir="auto"`` a data set is in the folder ``pfnet/chainercv`` of ``dataset.root``, as in ChainerCV. Missing
files are downloaded. The authors publish no digests, so only the structure of the files is checked.
"""
