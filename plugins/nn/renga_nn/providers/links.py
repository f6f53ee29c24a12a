"""The links, by the module they are in."""

from renga_core.plugin import Provider

__all__ = ["LINKS"]

CLASSES = {
    "batch_normalization": "batch_normalization:BatchNormalization",
    "batch_renormalization": "batch_renormalization:BatchRenormalization",
    "bias": "parameter:Bias",
    "bilinear": "bilinear:Bilinear",
    "binary_hierarchical_softmax": "hierarchical_softmax:BinaryHierarchicalSoftmax",
    "black_out": "sampled:BlackOut",
    "caffe_function": "caffe.function:CaffeFunction",
    "child_sum_tree_lstm": "tree_lstm:ChildSumTreeLSTM",
    "classifier": "classifier:Classifier",
    "convolution_1d": "convolution_nd:Convolution1D",
    "convolution_2d": "convolution_2d:Convolution2D",
    "convolution_3d": "convolution_nd:Convolution3D",
    "convolution_nd": "convolution_nd:ConvolutionND",
    "crf1d": "crf1d:CRF1d",
    "deconvolution_1d": "convolution_nd:Deconvolution1D",
    "deconvolution_2d": "convolution_2d:Deconvolution2D",
    "deconvolution_3d": "convolution_nd:Deconvolution3D",
    "deconvolution_nd": "convolution_nd:DeconvolutionND",
    "decorrelated_batch_normalization": "decorrelated_batch_normalization:DecorrelatedBatchNormalization",
    "deformable_convolution_2d": "deformable_convolution_2d:DeformableConvolution2D",
    "depthwise_convolution_2d": "depthwise_convolution_2d:DepthwiseConvolution2D",
    "dilated_convolution_2d": "dilated_convolution_2d:DilatedConvolution2D",
    "embed_id": "embed_id:EmbedID",
    "googlenet": "vision.googlenet:GoogLeNet",
    "group_normalization": "group_normalization:GroupNormalization",
    "gru": "gru:GRU",
    "highway": "highway:Highway",
    "inception": "inception:Inception",
    "inception_bn": "inception:InceptionBN",
    "layer_normalization": "layer_normalization:LayerNormalization",
    "linear": "linear:Linear",
    "local_convolution_2d": "local_convolution_2d:LocalConvolution2D",
    "lstm": "lstm:LSTM",
    "maxout": "maxout:Maxout",
    "mlp_convolution_2d": "mlp_convolution_2d:MLPConvolution2D",
    "n_step_bi_gru": "n_step_rnn:NStepBiGRU",
    "n_step_bi_lstm": "n_step_rnn:NStepBiLSTM",
    "n_step_bi_rnn_relu": "n_step_rnn:NStepBiRNNReLU",
    "n_step_bi_rnn_tanh": "n_step_rnn:NStepBiRNNTanh",
    "n_step_gru": "n_step_rnn:NStepGRU",
    "n_step_lstm": "n_step_rnn:NStepLSTM",
    "n_step_rnn_relu": "n_step_rnn:NStepRNNReLU",
    "n_step_rnn_tanh": "n_step_rnn:NStepRNNTanh",
    "nary_tree_lstm": "tree_lstm:NaryTreeLSTM",
    "negative_sampling": "sampled:NegativeSampling",
    "parameter": "parameter:Parameter",
    "prelu": "activation:PReLU",
    "resnet101_layers": "vision.resnet:ResNet101Layers",
    "resnet152_layers": "vision.resnet:ResNet152Layers",
    "resnet50_layers": "vision.resnet:ResNet50Layers",
    "scale": "parameter:Scale",
    "simplified_dropconnect": "simplified_dropconnect:SimplifiedDropconnect",
    "stateful_gru": "gru:StatefulGRU",
    "stateful_mgu": "mgu:StatefulMGU",
    "stateful_peephole_lstm": "peephole_lstm:StatefulPeepholeLSTM",
    "stateful_zoneout_lstm": "zoneout_lstm:StatefulZoneoutLSTM",
    "stateless_gru": "gru:StatelessGRU",
    "stateless_lstm": "lstm:StatelessLSTM",
    "stateless_mgu": "mgu:StatelessMGU",
    "swish": "activation:Swish",
    "vgg16_layers": "vision.vgg:VGG16Layers",
    "vgg19_layers": "vision.vgg:VGG19Layers",
}
"""The registered name of each link, and its module in `renga_nn.links`."""

UNSTATED = (
    "caffe_function googlenet parameter resnet101_layers resnet152_layers resnet50_layers vgg16_layers vgg19_layers"
)
"""Links that the kit cannot test; `renga_nn.conformance_inputs.links` says why."""

_UNSTATED = frozenset(UNSTATED.split())
LINKS = [
    Provider(
        name=name,
        target=f"renga_nn.links.{place}",
        revision=1,
        inputs="" if name in _UNSTATED else f"renga_nn.conformance_inputs.links:{name}",
    )
    for name, place in CLASSES.items()
]
