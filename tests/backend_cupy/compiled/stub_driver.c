/* Stands in for NVIDIA's driver, libcuda.so.1, which cuDNN's library of engines compiled at run time is linked with.
   Graphs are described and checked without it; whatever asks it for something hears that there is no device. */
#define NO_DEVICE 100 /* CUDA_ERROR_NO_DEVICE */
#define STUB(name) int name(void) { return NO_DEVICE; }

STUB(cuGetErrorString)
STUB(cuModuleGetFunction)
STUB(cuModuleLoadData)
STUB(cuModuleUnload)
STUB(cuTensorMapEncodeIm2col)
STUB(cuTensorMapEncodeTiled)
