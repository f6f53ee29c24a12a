"""From raw values, as files hold them, to the inputs of a network: the same in training and when it is used.

A data set function returns a `Split`, a pair (train, test) that may know how its inputs were made. `renga train` keeps
that in the run's folder (`preprocessing.json`), and `renga predict` makes the inputs of new files by it.

- `split`: `Split`; `split_indices`, which examples are for training and which for testing.
- `table`: `TablePreprocessing`, for rows of a CSV file. `rows`: reading them.
- `image`: `ImagePreprocessing`, for image files, all made of one size. `picture`: `PicturePreprocessing`, as they are.
- `text`: `TextPreprocessing`, for characters.
- `document`: as JSON, and back.
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
