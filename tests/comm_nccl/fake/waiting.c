/* Waiting for other ranks, which may be slow, dead or in another call. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "communicator.h"

int64_t monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void relax(struct patience *patience) {
    unsigned now = patience->turns++;
    if (now == 0) patience->since = monotonic_nanoseconds();
    if (now < 20) {
        sched_yield();
        return;
    }
    long nanoseconds = now < 100 ? 50000 : now < 300 ? 200000 : 1000000;
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

/* Once per wait, after FAKE_NCCL_HANG_REPORT seconds: says on stderr where every rank is. */
static void report_hang(struct ncclComm *comm, const char *doing) {
    fprintf(stderr, "fake NCCL: rank %d of %d waits in %s; the ranks of this communicator:\n", comm->rank, comm->nranks,
            doing);
    for (int rank = 0; rank < comm->nranks; rank++) {
        struct seat *seat = &comm->region->seats[rank];
        uint64_t phase = atomic_load(&seat->phase);
        char text[128] = "no collective yet";
        if (phase) describe(&seat->call, text, sizeof(text));
        const char *where = phase % 4 == 3 ? "done with" : "in";
        fprintf(stderr, "  rank %d: %s collective %llu, %s%s\n", rank, where, (unsigned long long)(phase / 4), text,
                seat_is_dead(seat) ? "; its process is dead" : "");
    }
}

void relax_and_watch(struct ncclComm *comm, struct patience *patience, const char *doing) {
    relax(patience);
    if (patience->turns % 64) return;
    long seconds = comm->settings.hang_report;
    if (seconds && !patience->reported && monotonic_nanoseconds() - patience->since > seconds * 1000000000L) {
        patience->reported = 1;
        report_hang(comm, doing);
    }
    if (comm->settings.death_unnoticed || has_failed(comm)) return;
    for (int rank = 0; rank < comm->nranks; rank++) {
        struct seat *seat = &comm->region->seats[rank];
        int state = atomic_load(&seat->state);
        if (state == ABSENT || state == JOINING) continue;
        if (state == ABORTED)
            fail_asynchronously(comm, ncclRemoteError, "rank %d has aborted the communicator; waiting in %s", rank,
                                doing);
        else if (state != LEFT && seat_is_dead(seat))
            fail_asynchronously(comm, ncclRemoteError, "rank %d (process %d) is dead; waiting in %s", rank, seat->pid,
                                doing);
        else
            continue;
        return;
    }
}

int wait_for_phase(struct ncclComm *comm, uint64_t phase, const char *doing) {
    for (int rank = 0; rank < comm->nranks; rank++) {
        struct patience patience = {0};
        while (atomic_load(&comm->region->seats[rank].phase) < phase) {
            if (atomic_load(&comm->stop)) return 1;
            relax_and_watch(comm, &patience, doing);
        }
    }
    return atomic_load(&comm->stop) != RUNNING;
}

int sleep_unless_stopped(struct ncclComm *comm, long microseconds) {
    int64_t end = monotonic_nanoseconds() + (int64_t)microseconds * 1000;
    while (monotonic_nanoseconds() < end) {
        if (atomic_load(&comm->stop)) return 1;
        int64_t left = end - monotonic_nanoseconds();
        if (left > 1000000) left = 1000000;
        if (left > 0) nanosleep(&(struct timespec){0, (long)left}, NULL);
    }
    return 0;
}
