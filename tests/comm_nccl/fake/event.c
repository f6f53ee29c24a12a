/* Events: positions in a stream. */
#include <stdlib.h>
#include <time.h>

#include "stream_internal.h"

/* Drops one reference: the handle holds one, and so does every stamp on its way, as the handle may go first. */
static void release(fakecudaEvent_t event) {
    if (__atomic_sub_fetch(&event->references, 1, __ATOMIC_ACQ_REL) == 0) free(event);
}

int fakecudaEventCreate(fakecudaEvent_t *event) {
    if (!event) return fakecudaErrorInvalidValue;
    *event = calloc(1, sizeof(**event));
    if (!*event) return fakecudaErrorMemoryAllocation;
    (*event)->references = 1;
    return fakecudaSuccess;
}

int fakecudaEventDestroy(fakecudaEvent_t event) {
    if (!event) return fakecudaErrorInvalidResourceHandle;
    release(event);
    return fakecudaSuccess;
}

static void run_stamp(void *argument) {
    fakecudaEvent_t event = argument;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->nanoseconds = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    release(event);
}

int fakecudaEventRecord(fakecudaEvent_t event, fakecudaStream_t handle) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream || !event) return fakecudaErrorInvalidResourceHandle;
    event->stream = stream;
    event->capture = stream->capture;
    if (event->capture) return fakecudaSuccess;
    __atomic_add_fetch(&event->references, 1, __ATOMIC_RELAXED);
    stream_push(stream, run_stamp, event);
    event->position = stream_position(stream);
    return fakecudaSuccess;
}

int fakecudaStreamWaitEvent(fakecudaStream_t handle, fakecudaEvent_t event, unsigned int flags) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream || !event) return fakecudaErrorInvalidResourceHandle;
    if (flags) return fakecudaErrorInvalidValue;
    if (!event->stream) return fakecudaSuccess;
    if (event->capture) return capture_join(stream, event);
    if (stream->capture) return fakecudaErrorStreamCaptureIsolation;
    stream_push_wait_position(stream, event->stream, event->position);
    return fakecudaSuccess;
}

int fakecudaEventSynchronize(fakecudaEvent_t event) {
    if (!event) return fakecudaErrorInvalidResourceHandle;
    if (event->capture) return fakecudaErrorStreamCaptureUnsupported;
    if (!event->stream) return fakecudaSuccess;
    stream_wait_position(event->stream, event->position);
    return stream_take_error(event->stream);
}

int fakecudaEventQuery(fakecudaEvent_t event) {
    if (!event) return fakecudaErrorInvalidResourceHandle;
    if (event->capture) return fakecudaErrorStreamCaptureUnsupported;
    if (!event->stream || stream_reached(event->stream, event->position)) return fakecudaSuccess;
    return fakecudaErrorNotReady;
}

int fakecudaEventElapsedTime(float *milliseconds, fakecudaEvent_t start, fakecudaEvent_t end) {
    if (!start || !end || !start->stream || !end->stream) return fakecudaErrorInvalidResourceHandle;
    if (fakecudaEventQuery(start) || fakecudaEventQuery(end)) return fakecudaErrorNotReady;
    *milliseconds = (float)((double)(end->nanoseconds - start->nanoseconds) * 1e-6);
    return fakecudaSuccess;
}
