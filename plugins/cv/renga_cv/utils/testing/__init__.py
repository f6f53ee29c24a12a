"""Test helpers that check the conventions of `renga_cv`: images, boxes, data sets, models.

- `values`: images, boxes, points. `datasets`: their examples. `links`: predictions of models.
- `random_boxes`: boxes to test with. `constant_stub_link`: a link that computes nothing.
- `parameterize`: one test class, many settings.
"""
