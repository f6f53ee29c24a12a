/* Groups: calls between ncclGroupStart and ncclGroupEnd are issued together at the end. */
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

struct pending {
    struct ncclComm *comm;
    fakecudaStream_t stream;
    struct call call;
};

static _Thread_local struct {
    int depth;
    ncclResult_t error;
    struct pending *calls;
    int calls_count;
    struct init *inits;
    int inits_count;
} group;

int group_active(void) { return group.depth > 0; }

ncclResult_t group_remember_error(ncclResult_t result) {
    if (group.depth && result && result != ncclInProgress && !group.error) group.error = result;
    return result;
}

static void *grow(void *array, int count, size_t size) {
    array = realloc(array, (size_t)(count + 1) * size);
    if (!array) abort();
    return array;
}

void group_add_init(const struct init *init) {
    group.inits = grow(group.inits, group.inits_count, sizeof(*init));
    group.inits[group.inits_count++] = *init;
}

ncclResult_t group_add_call(struct ncclComm *comm, cudaStream_t stream, const struct call *call) {
    if (!group.depth) return issue_calls(comm, stream, call, 1);
    struct pending pending = {comm, stream, *call};
    group.calls = grow(group.calls, group.calls_count, sizeof(pending));
    group.calls[group.calls_count++] = pending;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void) {
    group.depth++;
    return ncclSuccess;
}

struct joining {
    struct init *init;
    pthread_t thread;
    ncclResult_t result;
    char error[512];
};

static void *join_one(void *argument) {
    struct joining *joining = argument;
    struct init *init = joining->init;
    fakecudaSetDevice(init->comm->device);
    joining->result = join(init->comm, init->nranks, &init->id, init->rank);
    if (joining->result) strncpy(joining->error, ncclGetLastError(NULL), sizeof(joining->error) - 1);
    return NULL;
}

/* The ranks of one process join at the same time, each on a thread. */
static ncclResult_t join_all(void) {
    int count = group.inits_count;
    ncclResult_t result = ncclSuccess;
    struct joining *joining = calloc((size_t)count, sizeof(*joining));
    if (!joining) abort();
    for (int i = 0; i < count; i++) {
        joining[i].init = &group.inits[i];
        if (pthread_create(&joining[i].thread, NULL, join_one, &joining[i])) abort();
    }
    for (int i = 0; i < count; i++) {
        pthread_join(joining[i].thread, NULL);
        if (joining[i].result) result = fail(NULL, joining[i].result, "%s", joining[i].error);
    }
    free(joining);
    return result;
}

/* Issues the calls of one communicator as one batch on the stream of the first; the other streams wait for it, and it
 * for them. */
static ncclResult_t issue_communicator(struct pending *calls, int count) {
    struct call *batch = malloc((size_t)count * sizeof(*batch));
    if (!batch) abort();
    struct ncclComm *comm = calls[0].comm;
    fakecudaStream_t first = calls[0].stream;
    int size = 0;
    for (int i = 0; i < count; i++) {
        if (calls[i].comm != comm) continue;
        batch[size++] = calls[i].call;
        if (calls[i].stream != first) stream_push_wait(first, calls[i].stream);
    }
    ncclResult_t result = issue_calls(comm, first, batch, size);
    for (int i = 0; i < count; i++) {
        if (calls[i].comm != comm) continue;
        if (calls[i].stream != first) stream_push_wait(calls[i].stream, first);
        if (i) calls[i].comm = NULL;
    }
    calls[0].comm = NULL;
    free(batch);
    return result;
}

ncclResult_t ncclGroupEnd(void) {
    if (!group.depth) return fail(NULL, ncclInvalidUsage, "ncclGroupEnd: no group was started");
    if (--group.depth) return ncclSuccess;
    ncclResult_t result = group.error;
    if (!result && group.inits_count && group.calls_count)
        result = fail(NULL, ncclInvalidUsage, "ncclGroupEnd: a group holds new communicators and communication");
    else if (!result && group.inits_count)
        result = join_all();
    for (int i = 0; i < group.calls_count && (!result || result == ncclInProgress); i++)
        if (group.calls[i].comm) result = issue_communicator(group.calls + i, group.calls_count - i);
    free(group.calls);
    free(group.inits);
    memset(&group, 0, sizeof(group));
    return result;
}
