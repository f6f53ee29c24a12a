from renga_core.testing.suites import ArrayBackendSuite


class TestTorch(ArrayBackendSuite):
    provider = "torch"
