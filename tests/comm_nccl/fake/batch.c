/* A batch: the calls of one group on one communicator, as one piece of work of a stream.
 *
 * The batches of a communicator run in the order in which they were issued, whatever their streams. A device runs the
 * batch of one communicator at a time: two communicators used in different orders on different ranks therefore block
 * each other always, as they may on a real device. FAKE_NCCL_CONCURRENT=1 takes that rule away.
 */
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

struct batch {
    struct ncclComm *comm;
    uint64_t ticket;
    size_t size; /* bytes of all this */
    int count;
    struct call calls[];
};

static pthread_mutex_t issue_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long calls_issued;
static struct ncclComm *_Atomic device_owners[64];

int next_call_is_refused(struct ncclComm *comm) {
    pthread_mutex_lock(&issue_lock);
    int refused = fault_refuses(comm, calls_issued + 1);
    calls_issued += (unsigned long)refused;
    pthread_mutex_unlock(&issue_lock);
    return refused;
}

static int occupies_device(struct ncclComm *comm) {
    return comm->nranks > 1 && !comm->shared_device && !comm->settings.concurrent;
}

/* Waits for the earlier batches and for the device. Returns 1 if the communicator was stopped. */
static int wait_for_turn(struct batch *batch) {
    struct ncclComm *comm = batch->comm, *nobody = NULL;
    struct patience patience = {0};
    char doing[160];
    describe(&batch->calls[0].what, doing, sizeof(doing));
    while (atomic_load(&comm->finished) != batch->ticket - 1) {
        if (atomic_load(&comm->stop)) return 1;
        relax_and_watch(comm, &patience, doing);
    }
    strncat(doing, ", for the device, held by another communicator", sizeof(doing) - strlen(doing) - 1);
    while (occupies_device(comm) && !atomic_compare_exchange_strong(&device_owners[comm->device], &nobody, comm)) {
        if (atomic_load(&comm->stop)) return 1;
        nobody = NULL;
        relax_and_watch(comm, &patience, doing);
    }
    return 0;
}

static void run_calls(struct batch *batch) {
    struct ncclComm *comm = batch->comm;
    for (int i = 0; i < batch->count; i++) {
        if (atomic_load(&comm->stop) || has_failed(comm)) break;
        if (batch->calls[i].what.function < Send) run_collective(comm, &batch->calls[i]);
    }
    if (!atomic_load(&comm->stop) && atomic_load(&comm->asynchronous) != ncclInvalidUsage)
        run_point_to_point(comm, batch->calls, batch->count);
}

static void run_batch(void *argument) {
    struct batch *batch = argument;
    struct ncclComm *comm = batch->comm, *self = comm;
    atomic_fetch_add(&comm->running, 1);
    if (!atomic_load(&comm->stop) && !wait_for_turn(batch)) {
        run_calls(batch);
        atomic_compare_exchange_strong(&device_owners[comm->device], &self, NULL);
        atomic_store(&comm->finished, batch->ticket);
    }
    if (!comm->settings.stops_silently && (atomic_load(&comm->stop) || has_failed(comm))) stream_fail_current();
    atomic_fetch_sub(&comm->running, 1);
    free(batch);
}

static void issue_batch(fakecudaStream_t stream, const void *argument) {
    const struct batch *original = argument;
    struct batch *batch = request_copy(original, original->size);
    pthread_mutex_lock(&issue_lock);
    int idle = stream_idle(stream) && atomic_load(&batch->comm->issued) == atomic_load(&batch->comm->finished);
    for (int i = 0; i < batch->count; i++) {
        batch->calls[i].number = ++calls_issued;
        /* Nothing before it can still use the result: who reads it too early sees poison from now on. */
        if (idle && batch->count == 1) poison_result(batch->comm, &batch->calls[i]);
    }
    batch->ticket = atomic_fetch_add(&batch->comm->issued, 1) + 1;
    stream_push(stream, run_batch, batch);
    pthread_mutex_unlock(&issue_lock);
}

ncclResult_t issue_calls(struct ncclComm *comm, cudaStream_t stream, const struct call *calls, int count) {
    size_t size = sizeof(struct batch) + (size_t)count * sizeof(struct call);
    struct batch *batch = malloc(size);
    if (!batch) abort();
    *batch = (struct batch){.comm = comm, .size = size, .count = count};
    memcpy(batch->calls, calls, (size_t)count * sizeof(struct call));
    stream_issue(stream, issue_batch, batch, size);
    free(batch);
    if (comm->blocking) return ncclSuccess;
    atomic_store(&comm->busy_until, monotonic_nanoseconds() + 2000000);
    return ncclInProgress;
}
