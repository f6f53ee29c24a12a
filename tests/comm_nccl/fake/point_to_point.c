/* Sends and receives: one pipe for each ordered pair of ranks, in order, in chunks. All those of a batch make progress at
 * the same time; one alone blocks the stream until its peer has done its part. */
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

struct transfer {
    const struct call *call;
    struct pipe *pipe;
    char *chunk;
    size_t bytes, done;
    int opened, complete;
};

static void begin(struct ncclComm *comm, struct transfer *transfer, const struct call *call) {
    int sends = call->what.function == Send;
    int from = sends ? comm->rank : call->what.root, to = sends ? call->what.root : comm->rank;
    *transfer = (struct transfer){
        .call = call,
        .pipe = &comm->region->pipes[from][to],
        .chunk = comm->pipes + ((size_t)from * MAX_RANKS + (size_t)to) * PIPE_BYTES,
        .bytes = call->what.count * datatype_size[call->what.datatype],
    };
}

static size_t next_size(const struct transfer *transfer) {
    size_t left = transfer->bytes - transfer->done;
    return left < PIPE_BYTES ? left : PIPE_BYTES;
}

/* Returns 1 if the peer's message is not the one this rank expects. */
static int message_differs(struct ncclComm *comm, const struct transfer *transfer) {
    const struct signature *what = &transfer->call->what;
    struct pipe *pipe = transfer->pipe;
    if (pipe->count == what->count && pipe->datatype == what->datatype) return 0;
    char here[128], there[128];
    struct signature other = {pipe->count, Send, pipe->datatype, -1, comm->rank};
    describe(what, here, sizeof(here));
    describe(&other, there, sizeof(there));
    fail_asynchronously(comm, ncclInvalidUsage, "rank %d calls %s, rank %d calls %s", comm->rank, here, what->root,
                        there);
    return 1;
}

/* Moves one chunk if the pipe allows it; returns whether it did. */
static int advance(struct ncclComm *comm, struct transfer *transfer) {
    struct pipe *pipe = transfer->pipe;
    int sends = transfer->call->what.function == Send;
    uint64_t posted = atomic_load(&pipe->posted), taken = atomic_load(&pipe->taken);
    if (sends ? posted != taken : posted == taken) {
        return 0;
    }
    size_t size = next_size(transfer);
    if (sends) {
        pipe->count = transfer->call->what.count;
        pipe->datatype = transfer->call->what.datatype;
        memcpy(transfer->chunk, (const char *)transfer->call->send + transfer->done, size);
        atomic_store(&pipe->posted, posted + 1);
    } else {
        if (!transfer->opened && message_differs(comm, transfer)) return 0;
        transfer->opened = 1;
        memcpy((char *)transfer->call->receive + transfer->done, transfer->chunk, size);
        atomic_store(&pipe->taken, taken + 1);
    }
    transfer->done += size;
    transfer->complete = transfer->done == transfer->bytes;
    return 1;
}

/* An earlier transfer over the same pipe in the same batch goes first. */
static int blocked(const struct transfer *transfers, int index) {
    for (int i = 0; i < index; i++)
        if (transfers[i].pipe == transfers[index].pipe && !transfers[i].complete &&
            transfers[i].call->what.function == transfers[index].call->what.function)
            return 1;
    return 0;
}

/* A send is over when the peer has taken its last chunk: the pipe is no buffer to rely on. */
static int all_taken(const struct transfer *transfers, int count) {
    for (int i = 0; i < count; i++)
        if (transfers[i].call->what.function == Send &&
            atomic_load(&transfers[i].pipe->posted) != atomic_load(&transfers[i].pipe->taken))
            return 0;
    return 1;
}

static void run_transfers(struct ncclComm *comm, struct transfer *transfers, int count) {
    char doing[128];
    describe(&transfers[0].call->what, doing, sizeof(doing));
    struct patience patience = {0};
    int left = count;
    while (left || !all_taken(transfers, count)) {
        int moved = 0;
        for (int i = 0; i < count; i++) {
            if (transfers[i].complete || blocked(transfers, i)) continue;
            moved |= advance(comm, &transfers[i]);
            left -= transfers[i].complete;
        }
        if (atomic_load(&comm->stop) || atomic_load(&comm->asynchronous) == ncclInvalidUsage) return;
        if (moved)
            patience = (struct patience){0};
        else
            relax_and_watch(comm, &patience, doing);
    }
}

void run_point_to_point(struct ncclComm *comm, const struct call *calls, int count) {
    struct transfer *transfers = calloc((size_t)count, sizeof(*transfers));
    if (!transfers) abort();
    int used = 0;
    for (int i = 0; i < count; i++) {
        if (calls[i].what.function < Send) continue;
        random_delay(comm, calls[i].number);
        if (fault_before(comm, calls[i].number)) break;
        begin(comm, &transfers[used++], &calls[i]);
        if (calls[i].what.function == Recv && comm->settings.poison)
            memset(calls[i].receive, 0xFF, transfers[used - 1].bytes);
    }
    if (used && !atomic_load(&comm->stop)) run_transfers(comm, transfers, used);
    free(transfers);
}
