/* Devices, memory and names of errors. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

#define MAX_DEVICES 64

static _Thread_local int current_device = 0;

const char *fakecudaGetErrorString(int error) {
    switch (error) {
    case fakecudaSuccess: return "no error";
    case fakecudaErrorInvalidValue: return "invalid argument";
    case fakecudaErrorMemoryAllocation: return "out of memory";
    case fakecudaErrorInvalidDevice: return "invalid device ordinal";
    case fakecudaErrorInvalidResourceHandle: return "invalid resource handle";
    case fakecudaErrorNotReady: return "device not ready";
    case fakecudaErrorLaunchFailure: return "unspecified launch failure";
    case fakecudaErrorStreamCaptureUnsupported: return "operation not permitted when stream is capturing";
    case fakecudaErrorStreamCaptureInvalidated: return "operation failed due to a previous error during capture";
    case fakecudaErrorStreamCaptureUnjoined: return "capturing stream has unjoined work";
    case fakecudaErrorStreamCaptureIsolation: return "dependency created on uncaptured work in another stream";
    default: return "unrecognized error code";
    }
}

static struct {
    pthread_once_t once;
    int count, physical[MAX_DEVICES];
} visible = {.once = PTHREAD_ONCE_INIT};

/* The devices this process sees: CUDA_VISIBLE_DEVICES, numbers only, up to the first that does not exist. They are read
 * once, as by CUDA. */
static void read_visible(void) {
    const char *total_text = getenv("FAKE_CUDA_DEVICES"), *text = getenv("CUDA_VISIBLE_DEVICES");
    long total = total_text ? strtol(total_text, NULL, 10) : 8;
    if (total > MAX_DEVICES) total = MAX_DEVICES;
    if (!text)
        while (visible.count < total) {
            visible.physical[visible.count] = visible.count;
            visible.count++;
        }
    while (text && *text && visible.count < MAX_DEVICES) {
        char *end;
        long device = strtol(text, &end, 10);
        if (end == text || device < 0 || device >= total) break;
        visible.physical[visible.count++] = (int)device;
        text = *end == ',' ? end + 1 : end;
    }
}

int fakecudaGetDeviceCount(int *count) {
    pthread_once(&visible.once, read_visible);
    *count = visible.count;
    return fakecudaSuccess;
}

int fakecudaSetDevice(int device) {
    int count;
    fakecudaGetDeviceCount(&count);
    if (device < 0 || device >= count) return fakecudaErrorInvalidDevice;
    current_device = device;
    return fakecudaSuccess;
}

int fakecudaGetDevice(int *device) {
    *device = current_device;
    return fakecudaSuccess;
}

int device_current(void) { return current_device; }

int device_physical(int device) {
    int count;
    fakecudaGetDeviceCount(&count);
    return device >= 0 && device < count ? visible.physical[device] : -1;
}

void *request_copy(const void *request, size_t size) {
    void *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, request, size);
    return copy;
}

int fakecudaMalloc(void **pointer, size_t size) {
    if (posix_memalign(pointer, 512, size ? size : 1)) return fakecudaErrorMemoryAllocation;
    memset(*pointer, 0xFF, size);
    return fakecudaSuccess;
}

int fakecudaFree(void *pointer) {
    int error = pointer ? fakecudaDeviceSynchronize() : fakecudaSuccess;
    free(pointer);
    return error;
}

struct transfer {
    void *destination;
    const void *source; /* NULL: fill with `value` */
    size_t size;
    int value;
};

static void run_transfer(void *argument) {
    struct transfer *transfer = argument;
    if (transfer->source)
        memmove(transfer->destination, transfer->source, transfer->size);
    else
        memset(transfer->destination, transfer->value, transfer->size);
    free(transfer);
}

static void issue_transfer(fakecudaStream_t stream, const void *argument) {
    stream_push(stream, run_transfer, request_copy(argument, sizeof(struct transfer)));
}

static int enqueue_transfer(fakecudaStream_t handle, struct transfer transfer) {
    fakecudaStream_t stream = stream_of_handle(handle, current_device);
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    if (transfer.size == 0) return fakecudaSuccess;
    if (!transfer.destination) return fakecudaErrorInvalidValue;
    stream_issue(stream, issue_transfer, &transfer, sizeof(transfer));
    return fakecudaSuccess;
}

int fakecudaMemcpyAsync(void *destination, const void *source, size_t size, fakecudaStream_t stream) {
    if (size && !source) return fakecudaErrorInvalidValue;
    return enqueue_transfer(stream, (struct transfer){destination, source, size, 0});
}

int fakecudaMemsetAsync(void *pointer, int value, size_t size, fakecudaStream_t stream) {
    return enqueue_transfer(stream, (struct transfer){pointer, NULL, size, value});
}

int fakecudaMemcpy(void *destination, const void *source, size_t size) {
    int error = fakecudaMemcpyAsync(destination, source, size, NULL);
    return error ? error : fakecudaStreamSynchronize(NULL);
}
