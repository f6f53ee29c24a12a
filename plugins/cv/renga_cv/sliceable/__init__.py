"""Data sets that can be sliced by rows and by the elements of an example, after ChainerCV.

- `sliceable_dataset`: the base class, and the views that ``dataset.slice`` gives.
- `getter_dataset`: an example is put together by functions, of which only those needed are called.
- `tuple_dataset`, `concatenated_dataset`, `transform_dataset`: made of other data sets.
- `keys`: names and numbers of elements.
"""
