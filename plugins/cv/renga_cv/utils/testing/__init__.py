"""Checks that images, boxes, data sets and models keep the conventions of `renga_cv`, for tests.

- `values`: images, boxes, points. `datasets`: their examples. `links`: what models predict.
- `random_boxes`: boxes to test with. `constant_stub_link`: a link that computes nothing.
- `parameterize`: one test class, many settings.
"""
