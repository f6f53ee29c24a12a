/* What the rest of the library uses of streams, beside fake_cuda.h. */
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

#include "fake_cuda.h"

/* A piece of work: run(argument) on the stream's worker thread. */
typedef void (*work_function)(void *argument);
/* What puts work into a stream: called at once, or at each launch of the graph that captured it. `argument` stays the
 * caller's, or the graph's, which keeps a copy of `size` bytes. */
typedef void (*issue_function)(fakecudaStream_t stream, const void *argument);

/* The stream meant by a handle (NULL: the default stream of `device`); NULL if there is no such stream. */
fakecudaStream_t stream_of_handle(fakecudaStream_t handle, int device);
int stream_device(fakecudaStream_t stream);
int stream_idle(fakecudaStream_t stream);
/* Issues now, or adds to the graph being captured. */
void stream_issue(fakecudaStream_t stream, issue_function issue, const void *argument, size_t size);
/* Queues work behind all that is queued. */
void stream_push(fakecudaStream_t stream, work_function run, void *argument);
/* Makes `stream` wait for all that is queued in `other` now. */
void stream_push_wait(fakecudaStream_t stream, fakecudaStream_t other);
/* On a worker thread: the next fakecudaStreamSynchronize of its stream reports a launch failure. */
void stream_fail_current(void);
/* Streams of one device (-1: of all); stops at the first for which visit returns non-zero and returns that. */
int streams_visit(int device, int (*visit)(fakecudaStream_t stream, void *argument), void *argument);

/* The number that identifies a device on the machine, after CUDA_VISIBLE_DEVICES. */
int device_physical(int device);
int device_current(void);

/* Copies a request to the heap. */
void *request_copy(const void *request, size_t size);

#endif
