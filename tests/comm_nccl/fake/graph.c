/* Graphs: the work of one captured stream, and of the streams that joined it by events, in the order of the calls. */
#include <stdlib.h>

#include "stream_internal.h"

int fakecudaStreamBeginCapture(fakecudaStream_t handle) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    if (stream == stream_of_handle(NULL, stream->device) || stream->capture)
        return fakecudaErrorStreamCaptureUnsupported;
    struct fakecudaGraph *graph = calloc(1, sizeof(*graph));
    if (!graph) return fakecudaErrorMemoryAllocation;
    graph->origin = stream;
    stream->capture = graph;
    return fakecudaSuccess;
}

struct end {
    fakecudaGraph_t graph;
    int unjoined;
};

static int leave_capture(fakecudaStream_t stream, void *argument) {
    struct end *end = argument;
    if (stream->capture == end->graph) {
        end->unjoined |= stream->unjoined;
        stream->capture = NULL;
        stream->unjoined = 0;
    }
    return 0;
}

int fakecudaStreamEndCapture(fakecudaStream_t handle, fakecudaGraph_t *graph) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    if (!stream->capture || stream->capture->origin != stream) return fakecudaErrorInvalidValue;
    struct end end = {stream->capture, 0};
    streams_visit(-1, leave_capture, &end);
    int error = end.graph->invalid ? fakecudaErrorStreamCaptureInvalidated
                : end.unjoined     ? fakecudaErrorStreamCaptureUnjoined
                                   : fakecudaSuccess;
    *graph = error ? NULL : end.graph;
    if (error) fakecudaGraphDestroy(end.graph);
    return error;
}

int fakecudaStreamIsCapturing(fakecudaStream_t handle, int *capturing) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream) return fakecudaErrorInvalidResourceHandle;
    *capturing = stream->capture != NULL;
    return fakecudaSuccess;
}

int capture_refuses(fakecudaStream_t stream) {
    if (!stream->capture) return 0;
    stream->capture->invalid = 1;
    return fakecudaErrorStreamCaptureUnsupported;
}

int capture_join(fakecudaStream_t stream, fakecudaEvent_t event) {
    if (stream->capture && stream->capture != event->capture) return fakecudaErrorStreamCaptureIsolation;
    stream->capture = event->capture;
    if (stream == event->capture->origin) event->stream->unjoined = 0;
    return fakecudaSuccess;
}

void graph_add(fakecudaStream_t stream, issue_function issue, const void *argument, size_t size) {
    struct fakecudaGraph *graph = stream->capture;
    struct node node = {issue, request_copy(argument, size), NULL};
    struct node *copy = request_copy(&node, sizeof(node));
    if (graph->head)
        graph->tail->next = copy;
    else
        graph->head = copy;
    graph->tail = copy;
    if (stream != graph->origin) stream->unjoined = 1;
}

int fakecudaGraphLaunch(fakecudaGraph_t graph, fakecudaStream_t handle) {
    fakecudaStream_t stream = stream_of_handle(handle, device_current());
    if (!stream || !graph) return fakecudaErrorInvalidResourceHandle;
    if (stream->capture) return fakecudaErrorStreamCaptureUnsupported;
    for (struct node *node = graph->head; node; node = node->next) node->issue(stream, node->argument);
    return fakecudaSuccess;
}

int fakecudaGraphDestroy(fakecudaGraph_t graph) {
    if (!graph) return fakecudaErrorInvalidResourceHandle;
    for (struct node *node = graph->head; node;) {
        struct node *next = node->next;
        free(node->argument);
        free(node);
        node = next;
    }
    free(graph);
    return fakecudaSuccess;
}
