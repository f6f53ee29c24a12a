/* Uses the whole library in one process of several ranks, on several threads, to be run under sanitizers.
 *
 * Exit status 0 if every result is right; the line of the first wrong one is written otherwise.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fake_nccl.h"

#define RANKS 3
#define COUNT 1000

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            exit(1);                                               \
        }                                                          \
    } while (0)

static ncclUniqueId first_id, grow_id;
static pthread_barrier_t all;

static void wait_for_all(void) { pthread_barrier_wait(&all); }

static void collectives(ncclComm_t comm, int rank, fakecudaStream_t stream) {
    static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    char *send, *receive;
    CHECK(!fakecudaMalloc((void **)&send, COUNT * 8 * RANKS) && !fakecudaMalloc((void **)&receive, COUNT * 8 * RANKS));
    for (int type = 0; type <= ncclBfloat16; type++) {
        CHECK(!fakecudaMemsetAsync(send, 1, COUNT * sizes[type] * RANKS, stream));
        for (int op = 0; op < ncclNumOps; op++) {
            CHECK(!ncclAllReduce(send, receive, COUNT, type, op, comm, stream));
            CHECK(!ncclReduce(send, receive, COUNT, type, op, 1, comm, stream));
            CHECK(!ncclReduceScatter(send, receive, COUNT, type, op, comm, stream));
        }
        CHECK(!ncclBroadcast(send, receive, COUNT, type, 1, comm, stream));
        CHECK(!ncclAllGather(send, receive, COUNT, type, comm, stream));
        CHECK(!ncclAlltoAll(send, receive, COUNT, type, comm, stream));
        CHECK(!ncclGather(send, receive, COUNT, type, 1, comm, stream));
        CHECK(!ncclScatter(send, receive, COUNT, type, 1, comm, stream));
        CHECK(!ncclGroupStart());
        for (int peer = 0; peer < RANKS; peer++) {
            CHECK(!ncclRecv(receive + (size_t)peer * COUNT, COUNT / 8, type, peer, comm, stream));
            CHECK(!ncclSend(send, COUNT / 8, type, peer, comm, stream));
        }
        CHECK(!ncclGroupEnd());
    }
    float *ones = (float *)send, *sum = (float *)receive, half = 0.5f;
    ncclRedOp_t op;
    CHECK(!fakecudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++) ones[i] = (float)(rank + 1);
    CHECK(!ncclRedOpCreatePreMulSum(&op, &half, ncclFloat32, ncclScalarHostImmediate, comm));
    CHECK(!ncclAllReduce(ones, sum, COUNT, ncclFloat32, op, comm, stream));
    CHECK(!ncclRedOpDestroy(op, comm));
    CHECK(!fakecudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++) CHECK(sum[i] == 3.0f);
    CHECK(!fakecudaFree(send) && !fakecudaFree(receive));
}

static void children(ncclComm_t comm, int rank) {
    ncclComm_t split, shrunk = NULL, grown;
    CHECK(!ncclCommSplit(comm, rank % 2, 0, &split, NULL));
    CHECK(!ncclCommDestroy(split));
    int exclude = 0;
    if (rank) {
        CHECK(!ncclCommShrink(comm, &exclude, 1, &shrunk, NULL, NCCL_SHRINK_DEFAULT));
        if (rank == 1) CHECK(!ncclCommGetUniqueId(shrunk, &grow_id));
    }
    wait_for_all();
    CHECK(!ncclCommGrow(shrunk, RANKS, rank < 2 ? &grow_id : NULL, rank ? -1 : 2, &grown, NULL));
    wait_for_all();
    CHECK(!ncclCommDestroy(grown));
    if (shrunk) CHECK(!ncclCommRevoke(shrunk, 0) && !ncclCommDestroy(shrunk));
}

static void captured(ncclComm_t comm, fakecudaStream_t stream) {
    fakecudaGraph_t graph;
    float value = 1;
    CHECK(!fakecudaStreamBeginCapture(stream));
    CHECK(!ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, stream));
    CHECK(!fakecudaStreamEndCapture(stream, &graph));
    for (int i = 0; i < 3; i++) CHECK(!fakecudaGraphLaunch(graph, stream));
    CHECK(!fakecudaStreamSynchronize(stream) && value == RANKS * RANKS * RANKS);
    CHECK(!fakecudaGraphDestroy(graph));
}

/* Rank 0 stays away from a collective, and all abort. */
static void aborted(ncclComm_t comm, int rank, fakecudaStream_t stream) {
    float value = 1;
    ncclResult_t state;
    if (rank) CHECK(!ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, stream));
    wait_for_all();
    CHECK(!ncclCommGetAsyncError(comm, &state));
    CHECK(!ncclCommAbort(comm));
    CHECK(fakecudaStreamSynchronize(stream) == (rank ? fakecudaErrorLaunchFailure : 0));
    CHECK(ncclCommGetAsyncError(comm, &state) == ncclInvalidArgument);
}

static void *run(void *argument) {
    int rank = *(int *)argument;
    ncclComm_t comm;
    fakecudaStream_t stream, other;
    fakecudaEvent_t event;
    CHECK(!fakecudaSetDevice(rank));
    CHECK(!fakecudaStreamCreateWithFlags(&stream, fakecudaStreamNonBlocking) && !fakecudaStreamCreate(&other));
    CHECK(!fakecudaEventCreate(&event));
    CHECK(!ncclCommInitRank(&comm, RANKS, first_id, rank));
    collectives(comm, rank, stream);
    CHECK(!fakecudaEventRecord(event, stream) && !fakecudaStreamWaitEvent(other, event, 0));
    CHECK(!fakecudaEventDestroy(event) && !fakecudaDeviceSynchronize());
    children(comm, rank);
    captured(comm, stream);
    aborted(comm, rank, stream);
    CHECK(!fakecudaStreamDestroy(stream) && !fakecudaStreamDestroy(other));
    return NULL;
}

int main(void) {
    pthread_t threads[RANKS];
    int ranks[RANKS];
    CHECK(!ncclGetUniqueId(&first_id));
    pthread_barrier_init(&all, NULL, RANKS);
    for (int rank = 0; rank < RANKS; rank++) {
        ranks[rank] = rank;
        CHECK(!pthread_create(&threads[rank], NULL, run, &ranks[rank]));
    }
    for (int rank = 0; rank < RANKS; rank++) pthread_join(threads[rank], NULL);
    puts("done");
    return 0;
}
