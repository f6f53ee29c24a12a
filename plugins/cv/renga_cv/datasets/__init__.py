"""Data sets of pictures, read from the folders that they come in.

- `voc`, `coco`, `sbd`, `ade20k`, `camvid`, `cityscapes`, `cub`, `online_products`: a folder for each data set, with its
  classes in `labels`.
- `directory_parsing_label_dataset`: any pictures, a folder for each class.
- `digit_scenes`: scenes of handwritten digits, which come with Renga.
- `siamese_dataset`, `mixup_soft_label_dataset`: pairs, and mixtures, of the examples of another data set.
- `folders`: what these have in common: files that are missing or damaged, downloads.

With ``data_dir="auto"`` a data set is in the folder ``pfnet/chainercv`` of ``dataset.root``, where ChainerCV kept it,
and is downloaded if it is not there. No digests of the files are published: nothing but their structure is checked.
"""
