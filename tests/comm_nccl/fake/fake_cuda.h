/* The part of a CUDA runtime that the stand-in for libnccl needs: devices, streams, events and memory on the host.
 *
 * Every function returns a fakecudaError (0 on success). A stream is a queue with one worker thread: calls return at
 * once and the work is done later, in order. NULL is the default stream of the current device; it waits for the
 * streams of its device made without fakecudaStreamNonBlocking, and they wait for it, as CUDA's legacy default stream.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stddef.h>

typedef enum {
    fakecudaSuccess = 0,
    fakecudaErrorInvalidValue = 1,
    fakecudaErrorMemoryAllocation = 2,
    fakecudaErrorInvalidDevice = 101,
    fakecudaErrorInvalidResourceHandle = 400,
    fakecudaErrorNotReady = 600,
    fakecudaErrorLaunchFailure = 719, /* a collective of this stream failed; ncclCommGetAsyncError says why */
    fakecudaErrorStreamCaptureUnsupported = 900,
    fakecudaErrorStreamCaptureInvalidated = 901,
    fakecudaErrorStreamCaptureUnjoined = 904,
    fakecudaErrorStreamCaptureIsolation = 905
} fakecudaError;

#define fakecudaStreamDefault 0u
#define fakecudaStreamNonBlocking 1u

typedef struct fakecudaStream *fakecudaStream_t;
typedef struct fakecudaEvent *fakecudaEvent_t;
typedef struct fakecudaGraph *fakecudaGraph_t;
typedef void (*fakecudaHostFn_t)(void *userData);

#pragma GCC visibility push(default) /* all else is hidden: -fvisibility=hidden */

const char *fakecudaGetErrorString(int error);

/* Devices. FAKE_CUDA_DEVICES says how many the machine has (8); CUDA_VISIBLE_DEVICES picks and orders them. The current
 * device belongs to the calling thread and is 0 in a new one. */
int fakecudaGetDeviceCount(int *count);
int fakecudaSetDevice(int device);
int fakecudaGetDevice(int *device);
int fakecudaDeviceSynchronize(void); /* waits for all streams of the current device */

/* Streams of the current device. */
int fakecudaStreamCreate(fakecudaStream_t *stream);
int fakecudaStreamCreateWithFlags(fakecudaStream_t *stream, unsigned int flags);
int fakecudaStreamDestroy(fakecudaStream_t stream); /* work already queued is still done */
int fakecudaStreamSynchronize(fakecudaStream_t stream);
int fakecudaStreamQuery(fakecudaStream_t stream); /* fakecudaErrorNotReady while work is left */
int fakecudaStreamWaitEvent(fakecudaStream_t stream, fakecudaEvent_t event, unsigned int flags);
int fakecudaStreamGetDevice(fakecudaStream_t stream, int *device);
/* Runs fn(userData) in the stream's order, on its worker thread: a "kernel" of the stand-in. */
int fakecudaLaunchHostFunc(fakecudaStream_t stream, fakecudaHostFn_t fn, void *userData);

/* Events. One that was never recorded counts as complete. */
int fakecudaEventCreate(fakecudaEvent_t *event);
int fakecudaEventDestroy(fakecudaEvent_t event);
int fakecudaEventRecord(fakecudaEvent_t event, fakecudaStream_t stream);
int fakecudaEventSynchronize(fakecudaEvent_t event);
int fakecudaEventQuery(fakecudaEvent_t event);
int fakecudaEventElapsedTime(float *milliseconds, fakecudaEvent_t start, fakecudaEvent_t end);

/* "Device" memory is memory of this process. The asynchronous calls read and write when the stream gets to them. */
int fakecudaMalloc(void **pointer, size_t size); /* filled with 0xFF bytes: NaN in every floating type */
int fakecudaFree(void *pointer);                 /* waits for the streams of the current device first, as cudaFree */
int fakecudaMemcpy(void *destination, const void *source, size_t size); /* on the default stream, and waits */
int fakecudaMemcpyAsync(void *destination, const void *source, size_t size, fakecudaStream_t stream);
int fakecudaMemsetAsync(void *pointer, int value, size_t size, fakecudaStream_t stream);

/* Graphs. Between begin and end the stream records its work and runs none of it; each launch runs all of it once. While
 * a stream is captured, synchronizing or querying it is an error and spoils the capture, as in CUDA. */
int fakecudaStreamBeginCapture(fakecudaStream_t stream);
int fakecudaStreamEndCapture(fakecudaStream_t stream, fakecudaGraph_t *graph);
int fakecudaStreamIsCapturing(fakecudaStream_t stream, int *capturing);
int fakecudaGraphLaunch(fakecudaGraph_t graph, fakecudaStream_t stream);
int fakecudaGraphDestroy(fakecudaGraph_t graph);

#pragma GCC visibility pop

#endif
