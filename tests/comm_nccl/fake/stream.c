/* Streams: queues with a worker thread each. */
#include "stream_internal.h"

#include <stdlib.h>

#define MAX_DEVICES 64

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static fakecudaStream_t all_streams;
static fakecudaStream_t default_streams[MAX_DEVICES];
static _Thread_local fakecudaStream_t worker_stream;

static void *work(void *argument) {
    fakecudaStream_t stream = argument;
    worker_stream = stream;
    fakecudaSetDevice(stream->device);
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (!stream->head && !stream->closed) pthread_cond_wait(&stream->changed, &stream->lock);
        struct work *item = stream->head;
        if (!item) break;
        stream->head = item->next;
        pthread_mutex_unlock(&stream->lock);
        item->run(item->argument);
        free(item);
        pthread_mutex_lock(&stream->lock);
        stream->completed++;
        pthread_cond_broadcast(&stream->changed);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

static fakecudaStream_t make_stream(int device, unsigned int flags) {
    fakecudaStream_t stream = calloc(1, sizeof(*stream));
    if (!stream) abort();
    stream->device = device;
    stream->flags = flags;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->changed, NULL);
    stream->next = all_streams;
    all_streams = stream;
    return stream;
}

fakecudaStream_t stream_of_handle(fakecudaStream_t handle, int device) {
    fakecudaStream_t found = NULL;
    pthread_mutex_lock(&list_lock);
    if (!handle || (uintptr_t)handle == 1) { /* 1 is the name of the default stream in CUDA's headers */
        if (!default_streams[device]) default_streams[device] = make_stream(device, fakecudaStreamDefault);
        found = default_streams[device];
    } else {
        for (found = all_streams; found && found != handle;) found = found->next;
        if (found) {
            pthread_mutex_lock(&found->lock);
            int closed = found->closed;
            pthread_mutex_unlock(&found->lock);
            if (closed) found = NULL;
        }
    }
    pthread_mutex_unlock(&list_lock);
    return found;
}

int streams_visit(int device, int (*visit)(fakecudaStream_t stream, void *argument), void *argument) {
    int result = 0;
    pthread_mutex_lock(&list_lock);
    fakecudaStream_t first = all_streams;
    pthread_mutex_unlock(&list_lock);
    for (fakecudaStream_t stream = first; stream && !result; stream = stream->next)
        if (device < 0 || stream->device == device) result = visit(stream, argument);
    return result;
}

int stream_device(fakecudaStream_t stream) { return stream->device; }

uint64_t stream_position(fakecudaStream_t stream) {
    pthread_mutex_lock(&stream->lock);
    uint64_t position = stream->submitted;
    pthread_mutex_unlock(&stream->lock);
    return position;
}

int stream_reached(fakecudaStream_t stream, uint64_t position) {
    pthread_mutex_lock(&stream->lock);
    int reached = stream->completed >= position;
    pthread_mutex_unlock(&stream->lock);
    return reached;
}

int stream_idle(fakecudaStream_t stream) { return stream_reached(stream, stream_position(stream)); }

static void push(fakecudaStream_t stream, work_function run, void *argument) {
    struct work *item = malloc(sizeof(*item));
    if (!item) abort();
    *item = (struct work){run, argument, NULL};
    pthread_mutex_lock(&stream->lock);
    if (!stream->started) {
        pthread_t thread;
        pthread_attr_t detached;
        pthread_attr_init(&detached);
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        if (pthread_create(&thread, &detached, work, stream)) abort();
        pthread_attr_destroy(&detached);
        stream->started = 1;
    }
    if (stream->head)
        stream->tail->next = item;
    else
        stream->head = item;
    stream->tail = item;
    stream->submitted++;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
}

struct wait {
    fakecudaStream_t stream;
    uint64_t position;
};

void stream_wait_position(fakecudaStream_t stream, uint64_t position) {
    pthread_mutex_lock(&stream->lock);
    while (stream->completed < position) pthread_cond_wait(&stream->changed, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

static void run_wait(void *argument) {
    struct wait *wait = argument;
    stream_wait_position(wait->stream, wait->position);
    free(wait);
}

void stream_push_wait_position(fakecudaStream_t stream, fakecudaStream_t other, uint64_t position) {
    struct wait wait = {other, position};
    if (stream != other) push(stream, run_wait, request_copy(&wait, sizeof(wait)));
}

void stream_push_wait(fakecudaStream_t stream, fakecudaStream_t other) {
    stream_push_wait_position(stream, other, stream_position(other));
}

static int wait_for_blocking_stream(fakecudaStream_t other, void *stream) {
    if (!(other->flags & fakecudaStreamNonBlocking) && !stream_idle(other)) stream_push_wait(stream, other);
    return 0;
}

void stream_push(fakecudaStream_t stream, work_function run, void *argument) {
    pthread_mutex_lock(&list_lock);
    fakecudaStream_t legacy = default_streams[stream->device];
    pthread_mutex_unlock(&list_lock);
    if (stream == legacy)
        streams_visit(stream->device, wait_for_blocking_stream, stream);
    else if (legacy && !(stream->flags & fakecudaStreamNonBlocking) && !stream_idle(legacy))
        stream_push_wait(stream, legacy);
    push(stream, run, argument);
}

void stream_issue(fakecudaStream_t stream, issue_function issue, const void *argument, size_t size) {
    if (stream->capture)
        graph_add(stream, issue, argument, size);
    else
        issue(stream, argument);
}

void stream_fail_current(void) {
    if (!worker_stream) return;
    pthread_mutex_lock(&worker_stream->lock);
    worker_stream->error = fakecudaErrorLaunchFailure;
    pthread_mutex_unlock(&worker_stream->lock);
}

int fakecudaStreamCreateWithFlags(fakecudaStream_t *stream, unsigned int flags) {
    if (!stream || flags > fakecudaStreamNonBlocking) return fakecudaErrorInvalidValue;
    pthread_mutex_lock(&list_lock);
    *stream = make_stream(device_current(), flags);
    pthread_mutex_unlock(&list_lock);
    return fakecudaSuccess;
}

int fakecudaStreamCreate(fakecudaStream_t *stream) {
    return fakecudaStreamCreateWithFlags(stream, fakecudaStreamDefault);
}

int fakecudaStreamDestroy(fakecudaStream_t handle) {
    fakecudaStream_t stream = handle ? stream_of_handle(handle, 0) : NULL;
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    pthread_mutex_lock(&stream->lock);
    stream->closed = 1;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    return fakecudaSuccess;
}

int stream_take_error(fakecudaStream_t stream) {
    pthread_mutex_lock(&stream->lock);
    int error = stream->error;
    stream->error = 0;
    pthread_mutex_unlock(&stream->lock);
    return error;
}

int fakecudaStreamSynchronize(fakecudaStream_t handle) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    int refused = capture_refuses(stream);
    if (refused) return refused;
    stream_wait_position(stream, stream_position(stream));
    return stream_take_error(stream);
}

static int visit_refuses(fakecudaStream_t stream, void *unused) {
    (void)unused;
    return capture_refuses(stream);
}

static int visit_drain(fakecudaStream_t stream, void *unused) {
    (void)unused;
    stream_wait_position(stream, stream_position(stream));
    return stream_take_error(stream);
}

int fakecudaDeviceSynchronize(void) {
    int refused = streams_visit(device_current(), visit_refuses, NULL);
    return refused ? refused : streams_visit(device_current(), visit_drain, NULL);
}

int fakecudaStreamQuery(fakecudaStream_t handle) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    int refused = capture_refuses(stream);
    if (refused) return refused;
    return stream_idle(stream) ? stream_take_error(stream) : fakecudaErrorNotReady;
}

int fakecudaStreamGetDevice(fakecudaStream_t handle, int *device) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    *device = stream->device;
    return fakecudaSuccess;
}

struct host_call {
    fakecudaHostFn_t function;
    void *data;
};

static void run_host_call(void *argument) {
    struct host_call *call = argument;
    call->function(call->data);
    free(call);
}

static void issue_host_call(fakecudaStream_t stream, const void *argument) {
    stream_push(stream, run_host_call, request_copy(argument, sizeof(struct host_call)));
}

int fakecudaLaunchHostFunc(fakecudaStream_t handle, fakecudaHostFn_t function, void *data) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    if (!function) return fakecudaErrorInvalidValue;
    struct host_call call = {function, data};
    stream_issue(stream, issue_host_call, &call, sizeof(call));
    return fakecudaSuccess;
}
