/* Memory shared by the ranks of a communicator: an anonymous file (memfd) of the process that made the unique id, which
 * the others open through /proc. It has no name anywhere, so nothing is left behind when processes die. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "communicator.h"

#define HEADER_BYTES ((sizeof(struct region) + 4095) / 4096 * 4096)
#define WORDS "fake-nccl %d %d %llx"

/* The files of this process which not all ranks have opened yet. */
static struct offered {
    int descriptor;
    struct region *region;
    struct offered *next;
} *all_offered;
static pthread_mutex_t offered_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t window_bytes(void) { return (size_t)environment_number("FAKE_NCCL_WINDOW_MB", 1024) << 20; }

ncclResult_t region_create(ncclUniqueId *id) {
    unsigned long long nonce;
    if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce)) return fail(NULL, ncclSystemError, "no random numbers");
    int descriptor = memfd_create("fake-nccl", MFD_CLOEXEC);
    if (descriptor < 0) return fail(NULL, ncclSystemError, "memfd_create: %s", strerror(errno));
    size_t window = window_bytes();
    /* The file is sparse: only pages that are written take memory. */
    off_t size = (off_t)(HEADER_BYTES + (size_t)MAX_RANKS * MAX_RANKS * PIPE_BYTES + MAX_RANKS * window);
    struct region *region = MAP_FAILED;
    if (ftruncate(descriptor, size) == 0)
        region = mmap(NULL, HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (region == MAP_FAILED) {
        close(descriptor);
        return fail(NULL, ncclSystemError, "cannot make shared memory: %s", strerror(errno));
    }
    region->nonce = nonce;
    region->window = window;
    struct offered offered = {descriptor, region, NULL};
    struct offered *copy = request_copy(&offered, sizeof(offered));
    pthread_mutex_lock(&offered_lock);
    copy->next = all_offered;
    all_offered = copy;
    pthread_mutex_unlock(&offered_lock);
    memset(id, 0, sizeof(*id));
    snprintf(id->internal, sizeof(id->internal), WORDS, (int)getpid(), descriptor, nonce);
    return ncclSuccess;
}

void regions_close_complete(void) {
    pthread_mutex_lock(&offered_lock);
    for (struct offered **link = &all_offered; *link;) {
        struct offered *offered = *link;
        int nranks = atomic_load(&offered->region->nranks);
        if (nranks && atomic_load(&offered->region->joined) >= nranks) {
            *link = offered->next;
            close(offered->descriptor);
            munmap(offered->region, HEADER_BYTES);
            free(offered);
        } else
            link = &offered->next;
    }
    pthread_mutex_unlock(&offered_lock);
}

struct region *region_attach(const ncclUniqueId *id, char **windows, char **pipes, ncclResult_t *why) {
    int pid, descriptor;
    unsigned long long nonce;
    char path[64], text[sizeof(id->internal) + 1];
    memcpy(text, id->internal, sizeof(id->internal));
    text[sizeof(id->internal)] = 0;
    if (sscanf(text, WORDS, &pid, &descriptor, &nonce) != 3) {
        *why = fail(NULL, ncclInvalidArgument, "the unique id was not made by ncclGetUniqueId of this library");
        return NULL;
    }
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, descriptor);
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) || status.st_size < (off_t)HEADER_BYTES) {
        if (file >= 0) close(file);
        *why = fail(NULL, ncclSystemError,
                    "process %d, which made the unique id, is gone, or the id was used before by all its ranks", pid);
        return NULL;
    }
    char *base = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    struct region *region = (struct region *)base;
    if (base == MAP_FAILED || region->nonce != nonce) {
        if (base != MAP_FAILED) munmap(base, (size_t)status.st_size);
        *why = fail(NULL, ncclSystemError, "the unique id is out of date: all its ranks have used it");
        return NULL;
    }
    *pipes = base + HEADER_BYTES;
    *windows = *pipes + (size_t)MAX_RANKS * MAX_RANKS * PIPE_BYTES;
    return region;
}

/* Gives back the rank's own pages and the addresses. The header stays: other threads may still ask for the state. */
void region_release_windows(struct ncclComm *comm) {
    size_t window = comm->region->window;
    madvise(comm->windows + (size_t)comm->rank * window, window, MADV_REMOVE);
    madvise(comm->pipes + (size_t)comm->rank * MAX_RANKS * PIPE_BYTES, (size_t)MAX_RANKS * PIPE_BYTES, MADV_REMOVE);
    munmap(comm->pipes, (size_t)MAX_RANKS * MAX_RANKS * PIPE_BYTES + MAX_RANKS * window);
}

/* The start time of a process in ticks; 0 if there is none, or if it is dead and only waits to be collected. */
static uint64_t start_time(int pid) {
    char path[64], line[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    size_t length = fread(line, 1, sizeof(line) - 1, file);
    fclose(file);
    line[length] = 0;
    char *field = strrchr(line, ')'); /* field 2 is the name, which may hold anything */
    char state;
    unsigned long long born;
    if (!field || sscanf(field + 1,
                         " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &state,
                         &born) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : born;
}

void process_born(int *pid, uint64_t *born) {
    *pid = (int)getpid();
    *born = start_time(*pid);
}

int seat_is_dead(const struct seat *seat) { return start_time(seat->pid) != seat->born; }

int dead_among_awaited(const struct ncclComm *comm) {
    for (int rank = 0; comm->parent && rank < comm->parent->nranks; rank++)
        if (comm->awaited >> rank & 1 && seat_is_dead(&comm->parent->region->seats[rank])) return rank;
    return -1;
}
