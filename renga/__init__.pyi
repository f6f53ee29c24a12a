# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga import backend as backend
from renga import computational_graph as computational_graph
from renga import cv as cv
from renga import dataset as dataset
from renga import datasets as datasets
from renga import distributed as distributed
from renga import distributions as distributions
from renga import function_hooks as function_hooks
from renga import functions as functions
from renga import gradient_check as gradient_check
from renga import initializers as initializers
from renga import iterators as iterators
from renga import language as language
from renga import link_hooks as link_hooks
from renga import links as links
from renga import onnx as onnx
from renga import optimizer_hooks as optimizer_hooks
from renga import optimizers as optimizers
from renga import random as random
from renga import run as run
from renga import sequential as sequential
from renga import serializers as serializers
from renga import testing as testing
from renga import training as training
from renga import utils as utils
from renga.run.predicting import load as load
from renga_chainer.backend import get_array_types as get_array_types
from renga_chainer.backend import get_cpu_array_types as get_cpu_array_types
from renga_chainer.backend import is_arrays_compatible as is_arrays_compatible
from renga_chainer.runtime_info import print_runtime_info as print_runtime_info
from renga_chainer.runtime_info import should_use_cudnn as should_use_cudnn
from renga_chainer.runtime_info import should_use_cudnn_tensor_core as should_use_cudnn_tensor_core
from renga_compile.compiled_step import CompiledStep as CompiledStep
from renga_compile.compiler import compile as compile
from renga_core.backend import DeviceResident as DeviceResident
from renga_core.backend import get_array_module as get_array_module
from renga_core.backend import get_device as get_device
from renga_core.backend import using_device as using_device
from renga_core.configuration import config as config
from renga_core.configuration import get_dtype as get_dtype
from renga_core.configuration import global_config as global_config
from renga_core.configuration import using_config as using_config
from renga_core.dataset import DatasetMixin as DatasetMixin
from renga_core.dataset import Iterator as Iterator
from renga_core.errors import RengaError as RengaError
from renga_core.graph import DebugMode as DebugMode
from renga_core.graph import FunctionHook as FunctionHook
from renga_core.graph import FunctionNode as FunctionNode
from renga_core.graph import Parameter as Parameter
from renga_core.graph import Variable as Variable
from renga_core.graph import as_array as as_array
from renga_core.graph import as_variable as as_variable
from renga_core.graph import backward as backward
from renga_core.graph import force_backprop_mode as force_backprop_mode
from renga_core.graph import get_function_hooks as get_function_hooks
from renga_core.graph import grad as grad
from renga_core.graph import is_debug as is_debug
from renga_core.graph import no_backprop_mode as no_backprop_mode
from renga_core.graph import set_debug as set_debug
from renga_core.link import Chain as Chain
from renga_core.link import ChainList as ChainList
from renga_core.link import Link as Link
from renga_core.link import LinkHook as LinkHook
from renga_core.link import Sequential as Sequential
from renga_core.optimizer import GradientMethod as GradientMethod
from renga_core.optimizer import Optimizer as Optimizer
from renga_core.optimizer import UpdateRule as UpdateRule
from renga_core.plugin import Kernel as Kernel
from renga_core.plugin import Kind as Kind
from renga_core.plugin import Namespace as Namespace
from renga_core.plugin import Provider as Provider
from renga_core.plugin import hookimpl as hookimpl
from renga_core.plugin import registry as registry
from renga_core.reporter import Reporter as Reporter
from renga_core.reporter import get_current_reporter as get_current_reporter
from renga_core.reporter import report as report
from renga_core.reporter import report_scope as report_scope
from renga_core.serializers import AbstractSerializer as AbstractSerializer
from renga_core.serializers import Deserializer as Deserializer
from renga_core.serializers import Serializer as Serializer
from renga_core.settings import using as using
from renga_inference.freezing import inference as inference
from renga_inference.frozen import FrozenModel as FrozenModel
from renga_inference.storing import load_inference as load_inference
from renga_nn.distributions.distribution import Distribution as Distribution
from renga_nn.distributions.kl import cross_entropy as cross_entropy
from renga_nn.distributions.kl import kl_divergence as kl_divergence
from renga_nn.distributions.kl import register_kl as register_kl
from renga_nn.initializers.initializer import Initializer as Initializer
from renga_training.summary import DictSummary as DictSummary
from renga_training.summary import Summary as Summary

__version__: str
__all__ = [
    "AbstractSerializer",
    "Chain",
    "ChainList",
    "CompiledStep",
    "DatasetMixin",
    "DebugMode",
    "Deserializer",
    "DeviceResident",
    "DictSummary",
    "Distribution",
    "FrozenModel",
    "FunctionHook",
    "FunctionNode",
    "GradientMethod",
    "Initializer",
    "Iterator",
    "Kernel",
    "Kind",
    "Link",
    "LinkHook",
    "Namespace",
    "Optimizer",
    "Parameter",
    "Provider",
    "RengaError",
    "Reporter",
    "Sequential",
    "Serializer",
    "Summary",
    "UpdateRule",
    "Variable",
    "as_array",
    "as_variable",
    "backward",
    "compile",
    "config",
    "cross_entropy",
    "force_backprop_mode",
    "get_array_module",
    "get_array_types",
    "get_cpu_array_types",
    "get_current_reporter",
    "get_device",
    "get_dtype",
    "get_function_hooks",
    "global_config",
    "grad",
    "hookimpl",
    "inference",
    "is_arrays_compatible",
    "is_debug",
    "kl_divergence",
    "load",
    "load_inference",
    "no_backprop_mode",
    "print_runtime_info",
    "register_kl",
    "registry",
    "report",
    "report_scope",
    "set_debug",
    "should_use_cudnn",
    "should_use_cudnn_tensor_core",
    "using",
    "using_config",
    "using_device",
]
