"""Preprocessing: converts raw values of files to inputs of a network, in the same way in training and prediction.

A data set function returns a `Split`, a pair (train, test) that may include its preprocessing. `renga train` saves it
in the run's folder (`preprocessing.json`), and `renga predict` applies it to new files.

- `split`: `Split`; `split_indices`, which divides examples into training and test examples.
- `table`: `TablePreprocessing`, for rows of a CSV file. `rows`: reading them.
- `image`: `ImagePreprocessing`, for image files, resized to one size. `picture`: `PicturePreprocessing`, in their own
  size.
- `text`: `TextPreprocessing`, for characters.
- `document`: conversion to JSON and back.
"""

from renga_data.preprocessing.document import (
    Preprocessing,
    preprocessing_document,
    read_preprocessing,
    write_preprocessing,
)
from renga_data.preprocessing.image import ImagePreprocessing
from renga_data.preprocessing.picture import PicturePreprocessing
from renga_data.preprocessing.split import Split, split_indices
from renga_data.preprocessing.table import Column, TablePreprocessing
from renga_data.preprocessing.text import TextPreprocessing

__all__ = [
    "Column",
    "ImagePreprocessing",
    "PicturePreprocessing",
    "Preprocessing",
    "Split",
    "TablePreprocessing",
    "TextPreprocessing",
    "preprocessing_document",
    "read_preprocessing",
    "split_indices",
    "write_preprocessing",
]
