from renga_testing.suites import ArrayBackendSuite, KernelSuite, PluginSuite


class TestPlugin(PluginSuite):
    plugin = "torch"


class TestTorch(ArrayBackendSuite):
    provider = "torch"


class TestConvolution(KernelSuite):
    provider = "convolution.torch"


class TestDeconvolution(KernelSuite):
    provider = "deconvolution.torch"


class TestFilterGradient(KernelSuite):
    provider = "convolution_filter_gradient.torch"


class TestBatchNormalization(KernelSuite):
    provider = "batch_normalization.torch"


class TestAttention(KernelSuite):
    provider = "scaled_dot_product_attention.torch"


class TestMaxPooling(KernelSuite):
    provider = "max_pooling.torch"
