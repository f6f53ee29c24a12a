from renga_data.datasets import TransformDataset


def test_examples_are_transformed_when_asked_for():
    calls = []

    def transform(x):
        calls.append(x)
        return -x

    dataset = TransformDataset([1, 2, 3], transform)
    assert (len(dataset), calls) == (3, [])
    assert (dataset[1], calls) == (-2, [2])
    assert dataset[1:] == [-2, -3]
