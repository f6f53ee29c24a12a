/* The insides of streams, shared by stream.c, event.c and graph.c. */
#ifndef STREAM_INTERNAL_H
#define STREAM_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "stream.h"

struct work {
    work_function run;
    void *argument;
    struct work *next;
};

struct fakecudaStream {
    int device;
    unsigned int flags;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    struct work *head, *tail;
    uint64_t submitted, completed;
    int started, closed, error;
    /* Atomic: the end of a capture looks at the streams of all threads. */
    struct fakecudaGraph *_Atomic capture; /* the graph this stream's work goes to, or NULL */
    atomic_int unjoined;                   /* captured work that the origin of the capture has not waited for */
    struct fakecudaStream *next;           /* all streams ever made: their memory is kept, so a stale handle can be told */
};

struct fakecudaEvent {
    fakecudaStream_t stream; /* NULL: never recorded */
    uint64_t position;       /* complete when the stream has completed so many pieces of work */
    struct fakecudaGraph *capture;
    int64_t nanoseconds; /* when the stream reached it, on the monotonic clock */
    int references;
};

struct node {
    issue_function issue;
    void *argument;
    struct node *next;
};

struct fakecudaGraph {
    fakecudaStream_t origin;
    struct node *head, *tail;
    int invalid;
};

/* Waits until `position` pieces of the stream's work are complete. */
void stream_wait_position(fakecudaStream_t stream, uint64_t position);
void stream_push_wait_position(fakecudaStream_t stream, fakecudaStream_t other, uint64_t position);
uint64_t stream_position(fakecudaStream_t stream);
int stream_reached(fakecudaStream_t stream, uint64_t position);
/* The stream's pending error, which is taken away. */
int stream_take_error(fakecudaStream_t stream);
/* Adds a node to the graph the stream is captured in. */
void graph_add(fakecudaStream_t stream, issue_function issue, const void *argument, size_t size);
/* An error code if `stream` is captured (and then spoils the capture), else 0. */
int capture_refuses(fakecudaStream_t stream);
/* `stream` waits for an event recorded in a captured stream: it joins that capture. */
int capture_join(fakecudaStream_t stream, fakecudaEvent_t event);

#endif
