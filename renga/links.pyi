# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_nn.links.activation import PReLU as PReLU
from renga_nn.links.activation import Swish as Swish
from renga_nn.links.batch_normalization import BatchNormalization as BatchNormalization
from renga_nn.links.batch_renormalization import BatchRenormalization as BatchRenormalization
from renga_nn.links.bilinear import Bilinear as Bilinear
from renga_nn.links.caffe.function import CaffeFunction as CaffeFunction
from renga_nn.links.classifier import Classifier as Classifier
from renga_nn.links.convolution_2d import Convolution2D as Convolution2D
from renga_nn.links.convolution_2d import Deconvolution2D as Deconvolution2D
from renga_nn.links.convolution_nd import Convolution1D as Convolution1D
from renga_nn.links.convolution_nd import Convolution3D as Convolution3D
from renga_nn.links.convolution_nd import ConvolutionND as ConvolutionND
from renga_nn.links.convolution_nd import Deconvolution1D as Deconvolution1D
from renga_nn.links.convolution_nd import Deconvolution3D as Deconvolution3D
from renga_nn.links.convolution_nd import DeconvolutionND as DeconvolutionND
from renga_nn.links.crf1d import CRF1d as CRF1d
from renga_nn.links.decorrelated_batch_normalization import DecorrelatedBatchNormalization as DecorrelatedBatchNormalization
from renga_nn.links.deformable_convolution_2d import DeformableConvolution2D as DeformableConvolution2D
from renga_nn.links.depthwise_convolution_2d import DepthwiseConvolution2D as DepthwiseConvolution2D
from renga_nn.links.dilated_convolution_2d import DilatedConvolution2D as DilatedConvolution2D
from renga_nn.links.embed_id import EmbedID as EmbedID
from renga_nn.links.group_normalization import GroupNormalization as GroupNormalization
from renga_nn.links.gru import GRU as GRU
from renga_nn.links.gru import StatefulGRU as StatefulGRU
from renga_nn.links.gru import StatelessGRU as StatelessGRU
from renga_nn.links.hierarchical_softmax import BinaryHierarchicalSoftmax as BinaryHierarchicalSoftmax
from renga_nn.links.highway import Highway as Highway
from renga_nn.links.inception import Inception as Inception
from renga_nn.links.inception import InceptionBN as InceptionBN
from renga_nn.links.layer_normalization import LayerNormalization as LayerNormalization
from renga_nn.links.linear import Linear as Linear
from renga_nn.links.local_convolution_2d import LocalConvolution2D as LocalConvolution2D
from renga_nn.links.lstm import LSTM as LSTM
from renga_nn.links.lstm import StatelessLSTM as StatelessLSTM
from renga_nn.links.maxout import Maxout as Maxout
from renga_nn.links.mgu import StatefulMGU as StatefulMGU
from renga_nn.links.mgu import StatelessMGU as StatelessMGU
from renga_nn.links.mlp_convolution_2d import MLPConvolution2D as MLPConvolution2D
from renga_nn.links.n_step_rnn import NStepBiGRU as NStepBiGRU
from renga_nn.links.n_step_rnn import NStepBiLSTM as NStepBiLSTM
from renga_nn.links.n_step_rnn import NStepBiRNNReLU as NStepBiRNNReLU
from renga_nn.links.n_step_rnn import NStepBiRNNTanh as NStepBiRNNTanh
from renga_nn.links.n_step_rnn import NStepGRU as NStepGRU
from renga_nn.links.n_step_rnn import NStepLSTM as NStepLSTM
from renga_nn.links.n_step_rnn import NStepRNNReLU as NStepRNNReLU
from renga_nn.links.n_step_rnn import NStepRNNTanh as NStepRNNTanh
from renga_nn.links.parameter import Bias as Bias
from renga_nn.links.parameter import Parameter as Parameter
from renga_nn.links.parameter import Scale as Scale
from renga_nn.links.peephole_lstm import StatefulPeepholeLSTM as StatefulPeepholeLSTM
from renga_nn.links.sampled import BlackOut as BlackOut
from renga_nn.links.sampled import NegativeSampling as NegativeSampling
from renga_nn.links.simplified_dropconnect import SimplifiedDropconnect as SimplifiedDropconnect
from renga_nn.links.tree_lstm import ChildSumTreeLSTM as ChildSumTreeLSTM
from renga_nn.links.tree_lstm import NaryTreeLSTM as NaryTreeLSTM
from renga_nn.links.vision.googlenet import GoogLeNet as GoogLeNet
from renga_nn.links.vision.resnet import ResNet101Layers as ResNet101Layers
from renga_nn.links.vision.resnet import ResNet152Layers as ResNet152Layers
from renga_nn.links.vision.resnet import ResNet50Layers as ResNet50Layers
from renga_nn.links.vision.vgg import VGG16Layers as VGG16Layers
from renga_nn.links.vision.vgg import VGG19Layers as VGG19Layers
from renga_nn.links.zoneout_lstm import StatefulZoneoutLSTM as StatefulZoneoutLSTM

__all__ = [
    "BatchNormalization",
    "BatchRenormalization",
    "Bias",
    "Bilinear",
    "BinaryHierarchicalSoftmax",
    "BlackOut",
    "CRF1d",
    "CaffeFunction",
    "ChildSumTreeLSTM",
    "Classifier",
    "Convolution1D",
    "Convolution2D",
    "Convolution3D",
    "ConvolutionND",
    "Deconvolution1D",
    "Deconvolution2D",
    "Deconvolution3D",
    "DeconvolutionND",
    "DecorrelatedBatchNormalization",
    "DeformableConvolution2D",
    "DepthwiseConvolution2D",
    "DilatedConvolution2D",
    "EmbedID",
    "GRU",
    "GoogLeNet",
    "GroupNormalization",
    "Highway",
    "Inception",
    "InceptionBN",
    "LSTM",
    "LayerNormalization",
    "Linear",
    "LocalConvolution2D",
    "MLPConvolution2D",
    "Maxout",
    "NStepBiGRU",
    "NStepBiLSTM",
    "NStepBiRNNReLU",
    "NStepBiRNNTanh",
    "NStepGRU",
    "NStepLSTM",
    "NStepRNNReLU",
    "NStepRNNTanh",
    "NaryTreeLSTM",
    "NegativeSampling",
    "PReLU",
    "Parameter",
    "ResNet101Layers",
    "ResNet152Layers",
    "ResNet50Layers",
    "Scale",
    "SimplifiedDropconnect",
    "StatefulGRU",
    "StatefulMGU",
    "StatefulPeepholeLSTM",
    "StatefulZoneoutLSTM",
    "StatelessGRU",
    "StatelessLSTM",
    "StatelessMGU",
    "Swish",
    "VGG16Layers",
    "VGG19Layers",
]
