/* Collectives, run by the worker thread of a stream when it gets to them.
 *
 * Each rank counts the collectives of a communicator. In the n-th one it writes what it calls and its input into shared
 * memory and goes to phase 4n+1; when all are there, the calls are compared, and the ranks read from each other's
 * windows. A reduction has a middle, 4n+2: rank c sums part c, which the others then copy. The end is 4n+3. A window is
 * written again only when all ranks have ended.
 */
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

struct job {
    struct ncclComm *comm;
    const struct call *call;
    size_t size, count; /* of an element; elements as the call counts them */
    size_t sent, received; /* bytes of the buffers, 0 where this rank's is not used */
    const char *doing;
};

static char *window(const struct job *job, int rank) {
    return job->comm->windows + (size_t)rank * job->comm->region->window;
}

static int reach(const struct job *job, uint64_t phase) {
    atomic_store(&job->comm->region->seats[job->comm->rank].phase, phase);
    return wait_for_phase(job->comm, phase, job->doing);
}

static int reduces(int function) { return function == AllReduce || function == Reduce || function == ReduceScatter; }

static struct job job_of(struct ncclComm *comm, const struct call *call, const char *doing) {
    const struct signature *what = &call->what;
    size_t size = datatype_size[what->datatype], one = what->count * size, all = one * (size_t)comm->nranks;
    int at_root = comm->rank == what->root;
    struct job job = {comm, call, size, what->count, one, one, doing};
    switch (what->function) {
    case Reduce: job.received = at_root ? one : 0; break;
    case Broadcast: job.sent = at_root ? one : 0; break;
    case ReduceScatter: job.sent = all; break;
    case AllGather: job.received = all; break;
    case AlltoAll: job.sent = job.received = all; break;
    case Gather: job.received = at_root ? all : 0; break;
    case Scatter: job.sent = at_root ? all : 0; break;
    case Send: job.received = 0; break;
    case Recv: job.sent = 0; break;
    }
    return job;
}

/* Compares the calls of all ranks with this rank's. Returns 1 if one differs. */
static int calls_differ(const struct job *job) {
    const struct signature *mine = &job->call->what;
    for (int rank = 0; rank < job->comm->nranks; rank++) {
        const struct signature *other = &job->comm->region->seats[rank].call;
        if (memcmp(mine, other, sizeof(*mine)) == 0) continue;
        char here[128], there[128];
        describe(mine, here, sizeof(here));
        describe(other, there, sizeof(there));
        if (job->comm->settings.mismatch_hangs)
            while (!atomic_load(&job->comm->stop)) sleep_unless_stopped(job->comm, 1000);
        else
            fail_asynchronously(job->comm, ncclInvalidUsage,
                                "collective %llu of the communicator differs between ranks: rank %d calls %s, rank %d "
                                "calls %s; on a real NCCL this hangs or corrupts data",
                                (unsigned long long)job->comm->collectives, job->comm->rank, here, rank, there);
        return 1;
    }
    return 0;
}

/* Sums elements [first, first + count) of all windows into `target`, as a ring that ends at `last` does. */
static void reduce_part(const struct job *job, void *target, size_t first, size_t count, int last) {
    const struct call *call = job->call;
    int nranks = job->comm->nranks, datatype = call->what.datatype, op = call->what.op;
    int floating = datatype >= ncclFloat16;
    int scaled = op >= ncclNumOps || (op == ncclAvg && floating);
    double scalar = op == ncclAvg ? 1.0 / nranks : call->scalar;
    char *sum = malloc(count * job->size + 1), *value = malloc(count * job->size + 1);
    if (!sum || !value) abort();
    for (int hop = 1; hop <= nranks; hop++) {
        char *source = window(job, (last + hop) % nranks) + first * job->size;
        char *place = hop == 1 ? sum : value;
        if (scaled)
            scale_into(place, source, count, datatype, scalar);
        else
            memcpy(place, source, count * job->size);
        if (hop > 1) reduce_into(sum, value, count, datatype, scaled ? ncclSum : op);
    }
    if (op == ncclAvg && !floating) divide(sum, count, datatype, nranks);
    memcpy(target, sum, count * job->size);
    free(sum);
    free(value);
}

static size_t part_start(const struct job *job, int part) {
    return job->count * (size_t)part / (size_t)job->comm->nranks;
}

static int finish_reduction(const struct job *job, char *result, uint64_t base) {
    int rank = job->comm->rank, nranks = job->comm->nranks;
    if (job->call->what.function == ReduceScatter) {
        reduce_part(job, result, (size_t)rank * job->count, job->count, rank);
        return 0;
    }
    size_t start = part_start(job, rank);
    reduce_part(job, window(job, rank) + start * job->size, start, part_start(job, rank + 1) - start, rank);
    if (reach(job, base + 2)) return 1;
    for (int part = 0; job->received && part < nranks; part++) {
        size_t from = part_start(job, part) * job->size, to = part_start(job, part + 1) * job->size;
        memcpy(result + from, window(job, part) + from, to - from);
    }
    return 0;
}

static void finish_copy(const struct job *job, char *result) {
    const struct signature *what = &job->call->what;
    size_t one = job->count * job->size;
    for (int rank = 0; job->received && rank < job->comm->nranks; rank++) {
        switch (what->function) {
        case Broadcast:
            if (rank == what->root) memcpy(result, window(job, rank), one);
            break;
        case Scatter:
            if (rank == what->root) memcpy(result, window(job, rank) + (size_t)job->comm->rank * one, one);
            break;
        case AlltoAll:
            memcpy(result + (size_t)rank * one, window(job, rank) + (size_t)job->comm->rank * one, one);
            break;
        default: memcpy(result + (size_t)rank * one, window(job, rank), one);
        }
    }
}

static int overlap(const struct job *job) {
    const char *send = job->call->send, *receive = job->call->receive;
    return job->sent && job->received && send < receive + job->received && receive < send + job->sent;
}

void poison_result(struct ncclComm *comm, const struct call *call) {
    struct job job = job_of(comm, call, "");
    if (comm->settings.poison && job.received && !overlap(&job))
        memset(call->receive, 0xFF, job.received);
}

/* Keeps the input and spreads poison over the result, or over both where they overlap. */
static char *spread_poison(const struct job *job) {
    if (!job->comm->settings.poison) return NULL;
    char *input = job->sent && !overlap(job) ? request_copy(job->call->send, job->sent) : NULL;
    if (job->received) memset(job->call->receive, 0xFF, job->received);
    return input;
}

/* Says so if the buffers are not as spread_poison left them. */
static void check_poison(const struct job *job, const char *input) {
    int written = 0;
    if (!job->comm->settings.poison) return;
    for (size_t i = 0; i < job->received; i++) written |= ((unsigned char *)job->call->receive)[i] != 0xFF;
    if (written)
        fail_asynchronously(job->comm, ncclInvalidUsage, "the result of %s was written to while it ran", job->doing);
    if (input && memcmp(input, job->call->send, job->sent) != 0)
        fail_asynchronously(job->comm, ncclInvalidUsage, "the input of %s was changed while it ran", job->doing);
}

void run_collective(struct ncclComm *comm, const struct call *call) {
    char doing[128];
    describe(&call->what, doing, sizeof(doing));
    struct call copy = *call;
    if (call->scalar_pointer) copy.scalar = scalar_value(call->scalar_pointer, call->what.datatype);
    struct job job = job_of(comm, &copy, doing);
    uint64_t base = 4 * ++comm->collectives;
    random_delay(comm, call->number);
    if (wait_for_phase(comm, base - 4 ? base - 1 : 0, doing) || fault_before(comm, call->number)) return;
    comm->region->seats[comm->rank].call = call->what;
    if (job.sent) memcpy(window(&job, comm->rank), call->send, job.sent);
    char *input = spread_poison(&job);
    random_delay(comm, call->number + 1);
    char *result = malloc(job.received + 1);
    if (!result) abort();
    int stopped = reach(&job, base + 1);
    fault_within(comm, call->number);
    if (!stopped && !calls_differ(&job)) {
        if (reduces(call->what.function))
            stopped = finish_reduction(&job, result, base);
        else
            finish_copy(&job, result);
        if (!stopped) {
            check_poison(&job, input);
            if (job.received) memcpy(call->receive, result, job.received);
            atomic_store(&comm->region->seats[comm->rank].phase, base + 3);
        }
    } else if (job.received)
        memset(call->receive, 0xFF, job.received);
    free(input);
    free(result);
}
