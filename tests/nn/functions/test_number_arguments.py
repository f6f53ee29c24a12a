"""Whatever a function takes a number or a size for: what is none is refused, and the message names the argument."""

import inspect
import re

import numpy as np
import pytest

import renga
import renga.functions as F

rng = np.random.default_rng(0)


def array(*shape):
    return rng.normal(size=shape).astype(np.float32)


X, SERIES, IMAGES, VOLUMES = array(2, 4), array(2, 4, 6), array(2, 4, 6, 6), array(2, 4, 4, 4, 4)
FILTERS = [array(4, 4, *[3] * n) for n in (1, 2, 3)]
T = np.array([0, 1], np.int32)
ROIS = (np.array([[0, 0, 4, 4]], np.float32), np.array([0], np.int32), 2, 1.0)


def zeros(shape):
    return np.zeros(shape, np.int32)


def recurrent(gates, directions, states):
    ws = [[array(3, 4 if i < gates // 2 else 3) for i in range(gates)] for _ in range(directions)]
    bs = [[array(3) for _ in range(gates)] for _ in range(directions)]
    return (1, 0.0, *[array(directions, 2, 3)] * states, ws, bs, [array(2, 4)])


CALLS = {
    "accuracy": (X, T),
    "argmax": (X,),
    "argmin": (X,),
    "as_strided": (X, (2,), (1,)),
    "average_pooling_1d": (SERIES, 2),
    "average_pooling_2d": (IMAGES, 2),
    "average_pooling_3d": (VOLUMES, 2),
    "average_pooling_nd": (IMAGES, 2),
    "batch_normalization": (X, array(4), array(4)),
    "batch_normalization_relu": (X, array(4), array(4)),
    "batch_renormalization": (X, array(4), array(4), 3.0, 5.0),
    "bias": (X, array(4)),
    "broadcast_to": (X, (3, 2, 4)),
    "classification_summary": (X, T),
    "clip": (X, -1.0, 1.0),
    "clipped_relu": (X,),
    "concat": ([X, X],),
    "connectionist_temporal_classification": ([array(2, 4)] * 3, np.array([[1], [2]], np.int32), 0),
    "contrastive": (X, X, T),
    "convolution_1d": (SERIES, FILTERS[0]),
    "convolution_2d": (IMAGES, FILTERS[1]),
    "convolution_3d": (VOLUMES, FILTERS[2]),
    "convolution_nd": (IMAGES, FILTERS[1]),
    "crelu": (X,),
    "cumprod": (X,),
    "cumsum": (X,),
    "deconvolution_1d": (SERIES, FILTERS[0]),
    "deconvolution_2d": (IMAGES, FILTERS[1]),
    "deconvolution_3d": (VOLUMES, FILTERS[2]),
    "deconvolution_nd": (IMAGES, FILTERS[1]),
    "decorrelated_batch_normalization": (array(2, 16),),
    "deformable_convolution_2d_sampler": (IMAGES, array(2, 18, 4, 4), FILTERS[1]),
    "depth2space": (IMAGES, 2),
    "depthwise_convolution_2d": (IMAGES, array(2, 4, 3, 3)),
    "diagonal": (X,),
    "dilated_convolution_2d": (IMAGES, FILTERS[1]),
    "discriminative_margin_based_clustering_loss": (array(2, 3, 4, 4), zeros((2, 4, 4)), 0.5, 1.5, 3),
    "dropout": (X,),
    "dropout_add": (X, X),
    "elu": (X,),
    "embed_id": (T, array(4, 3)),
    "expand_dims": (X, 0),
    "f1_score": (X, T),
    "fixed_batch_normalization": (X, array(4), array(4), array(4), np.ones(4, np.float32)),
    "fixed_batch_normalization_relu": (X, array(4), array(4), array(4), np.ones(4, np.float32)),
    "fixed_batch_renormalization": (X, array(4), array(4), array(4), np.ones(4, np.float32)),
    "fixed_decorrelated_batch_normalization": (array(2, 16), array(16, 1), array(16, 1, 1)),
    "flip": (X, 0),
    "group_normalization": (IMAGES, 2, array(4), array(4)),
    "gumbel_softmax": (X,),
    "huber_loss": (X, X + 1, 1.0),
    "im2col": (IMAGES, 2),
    "layer_normalization": (X, array(4), array(4)),
    "leaky_relu": (X,),
    "linear": (X, array(3, 4)),
    "linear_relu": (X, array(3, 4)),
    "linear_softmax_cross_entropy": (X, array(5, 4), T),
    "local_convolution_2d": (IMAGES, array(3, 4, 4, 4, 3, 3)),
    "local_response_normalization": (IMAGES,),
    "log_softmax": (X,),
    "max_pooling_1d": (SERIES, 2),
    "max_pooling_2d": (IMAGES, 2),
    "max_pooling_3d": (VOLUMES, 2),
    "max_pooling_nd": (IMAGES, 2),
    "maxout": (X, 2),
    "moveaxis": (IMAGES, 0, 1),
    "n_step_bigru": recurrent(6, 2, 1),
    "n_step_bilstm": recurrent(8, 2, 2),
    "n_step_birnn": recurrent(2, 2, 1),
    "n_step_gru": recurrent(6, 1, 1),
    "n_step_lstm": recurrent(8, 1, 2),
    "n_step_rnn": recurrent(2, 1, 1),
    "negative_sampling": (X, T, array(5, 4), zeros, 2),
    "normalize": (X,),
    "pad": (X, 1, "constant"),
    "pad_sequence": ([array(2), array(3)],),
    "permutate": (X, np.array([1, 0], np.int32)),
    "precision": (X, T),
    "prod": (X,),
    "recall": (X, T),
    "repeat": (X, 2),
    "reshape": (X, (4, 2)),
    "resize_images": (IMAGES, (3, 3)),
    "rms_normalization": (X, array(4)),
    "roi_average_align_2d": (IMAGES, *ROIS),
    "roi_average_pooling_2d": (IMAGES, *ROIS),
    "roi_max_align_2d": (IMAGES, *ROIS),
    "roi_max_pooling_2d": (IMAGES, *ROIS),
    "roi_pooling_2d": (IMAGES, np.array([[0, 0, 0, 4, 4]], np.float32), 2, 2, 1.0),
    "rollaxis": (IMAGES, 1),
    "rotary_embedding": (X,),
    "rrelu": (X,),
    "scale": (X, array(4)),
    "scaled_dot_product_attention": (array(2, 3, 4, 5),) * 3,
    "selu": (X,),
    "separate": (X,),
    "shift": (array(2, 9, 6, 6), 3),
    "simplified_dropconnect": (X, array(3, 4)),
    "softmax": (X,),
    "softmax_cross_entropy": (X, T),
    "softplus": (X,),
    "space2depth": (IMAGES, 2),
    "spatial_pyramid_pooling_2d": (IMAGES, 2),
    "spatial_transformer_grid": (array(2, 2, 3), (3, 3)),
    "split_axis": (X, 2, 1),
    "squeeze": (array(1, 2),),
    "stack": ([X, X],),
    "sum": (X,),
    "sum_to": (X, (1, 4)),
    "swapaxes": (X, 0, 1),
    "tensordot": (X, X.T, 1),
    "tile": (X, 2),
    "transpose": (X,),
    "triplet": (X, X + 1, X + 2),
    "unpooling_1d": (SERIES, 2),
    "unpooling_2d": (IMAGES, 2),
    "unpooling_3d": (VOLUMES, 2),
    "unpooling_nd": (IMAGES, 2),
    "upsampling_2d": (array(2, 4, 3, 3), zeros((2, 4, 3, 3)), 2),
    "zoneout": (X, X),
}


def numbers_of(function):
    """Its arguments that are numbers or sizes, with their annotations."""
    return {
        parameter.name: parameter.annotation
        for parameter in inspect.signature(function).parameters.values()
        if re.search(r"\b(int|float)\b", str(parameter.annotation)) and "Callable" not in str(parameter.annotation)
    }


def test_no_function_is_forgotten():
    functions = {name: getattr(F, name) for name in F.__all__ if inspect.isfunction(getattr(F, name))}
    assert {name for name, function in functions.items() if numbers_of(function)} == set(CALLS)


def no_numbers(annotation):
    yield np.arange(1, 4, dtype=np.float32) + 0.5
    yield renga.Variable(np.array([1.5, 2.5], np.float32))
    yield "x"
    yield [[1, 2], [3]]
    if "float" not in annotation:
        yield 2.5
    if "None" not in annotation:
        yield None


TAKEN = [("normalize", "axis", None)]  # None is every axis, as in Chainer


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_number_is_refused(name):
    function = getattr(F, name)
    with renga.using_config("train", True):
        for argument, annotation in numbers_of(function).items():
            call = inspect.signature(function).bind(*CALLS[name])
            for value in no_numbers(annotation):
                if (name, argument, value) in [taken for taken in TAKEN if value is None]:
                    continue
                call.arguments[argument] = value
                said = "axis|axes" if argument in ("axis", "axes", "axis1", "axis2") else argument
                if name in ("broadcast_to", "reshape", "sum_to"):
                    said = "shape"
                with pytest.raises((TypeError, ValueError), match=rf"{name}: .*\b({said})\b"):
                    function(*call.args, **call.kwargs)


@pytest.mark.parametrize("wrap", [np.float64, np.array, np.int16])
@pytest.mark.parametrize("name", CALLS)
def test_numbers_of_numpy_are_taken(name, wrap):
    function = getattr(F, name)
    signature = inspect.signature(function)
    for argument, annotation in numbers_of(function).items():
        call = signature.bind(*CALLS[name])
        call.apply_defaults()
        value = call.arguments[argument]
        if not isinstance(value, (int, float)) or ("float" not in annotation and wrap is np.float64):
            continue
        if wrap is np.int16 and value != int(value):
            continue
        call.arguments[argument] = wrap(value)
        renga.random.seed(0)
        ours = function(*call.args, **call.kwargs)
        renga.random.seed(0)
        theirs = function(*CALLS[name])
        for y, expected in zip(arrays(ours), arrays(theirs), strict=True):
            np.testing.assert_array_equal(y, expected, strict=True)


def arrays(result):
    if isinstance(result, (tuple, list)):
        return [y for part in result for y in arrays(part)]
    return [getattr(result, "array", result)]
