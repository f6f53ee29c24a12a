/* Faults on demand and random delays.
 *
 * FAKE_NCCL_FAULTS, or the file FAKE_NCCL_FAULT_FILE (read at every call), holds entries RANK:CALL:KIND[:ARGUMENT],
 * parted by spaces, semicolons or line ends. RANK is the rank in the first communicator of the process, CALL counts its
 * communication calls over all communicators, from 1. KIND is one of
 *   refuse       the call returns ncclSystemError
 *   error        ncclRemoteError as the asynchronous error, and the stream is stuck until abort or revoke
 *   hang         the stream is stuck until abort or revoke
 *   kill         SIGKILL before the other ranks see the call
 *   kill-within  SIGKILL when the other ranks are in the call
 *   slow         ARGUMENT milliseconds late
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator.h"

static _Atomic int world_rank = -1;

void fault_set_world_rank(int rank) {
    int none = -1;
    atomic_compare_exchange_strong(&world_rank, &none, rank);
}

static void read_faults(const struct ncclComm *comm, char *text, size_t size) {
    FILE *file = comm->settings.fault_file[0] ? fopen(comm->settings.fault_file, "re") : NULL;
    snprintf(text, size, "%s", comm->settings.faults);
    if (!file) return;
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

/* Whether this process has a fault of `kind` at this call. */
static int planned(const struct ncclComm *comm, unsigned long number, const char *kind, long *value) {
    char text[4096], *rest = NULL;
    read_faults(comm, text, sizeof(text));
    for (char *entry = strtok_r(text, "; \n\t", &rest); entry; entry = strtok_r(NULL, "; \n\t", &rest)) {
        int rank;
        unsigned long call;
        char name[32];
        long argument = 0;
        if (sscanf(entry, "%d:%lu:%31[a-z-]:%ld", &rank, &call, name, &argument) < 3) {
            fprintf(stderr, "fake NCCL: a fault is RANK:CALL:KIND[:ARGUMENT], not '%s'\n", entry);
            abort();
        }
        if (rank != atomic_load(&world_rank) || call != number || strcmp(name, kind) != 0) continue;
        *value = argument;
        return 1;
    }
    return 0;
}

int fault_refuses(struct ncclComm *comm, unsigned long number) {
    long unused;
    return planned(comm, number, "refuse", &unused);
}

int fault_before(struct ncclComm *comm, unsigned long number) {
    long value;
    if (planned(comm, number, "kill", &value)) raise(SIGKILL);
    if (planned(comm, number, "slow", &value)) sleep_unless_stopped(comm, value * 1000);
    int error = planned(comm, number, "error", &value);
    if (error) fail_asynchronously(comm, ncclRemoteError, "a fault was asked for at call %lu", number);
    if (error || planned(comm, number, "hang", &value))
        while (!sleep_unless_stopped(comm, 1000)) continue;
    return atomic_load(&comm->stop) != RUNNING;
}

void fault_within(struct ncclComm *comm, unsigned long number) {
    long unused;
    if (planned(comm, number, "kill-within", &unused)) raise(SIGKILL);
}

void random_delay(struct ncclComm *comm, unsigned long number) {
    long limit = comm->settings.delay_us;
    if (limit <= 0) return;
    uint64_t state = (uint64_t)comm->settings.seed + 1;
    state = (state * 0x9E3779B97F4A7C15u) ^ ((uint64_t)comm->rank << 40) ^ number;
    for (int round = 0; round < 3; round++) {
        state ^= state >> 31;
        state *= 0xBF58476D1CE4E5B9u;
    }
    sleep_unless_stopped(comm, (long)(state % (uint64_t)limit));
}
