/* A communicator: the memory its ranks share, and what one rank knows of it. */
#ifndef COMMUNICATOR_H
#define COMMUNICATOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "fake_nccl.h"
#include "stream.h"

#define MAX_RANKS 32
#define MAX_CHILDREN 32   /* splits, shrinks and grows of one communicator */
#define MAX_OPERATORS 64  /* operators made by the program, per communicator */
#define PIPE_BYTES 262144 /* what a send may hand over before the receive has taken it */

typedef enum {
    AllReduce,
    Reduce,
    Broadcast,
    ReduceScatter,
    AllGather,
    AlltoAll,
    Gather,
    Scatter,
    Send,
    Recv
} function_t;

/* What all ranks must agree on in the n-th collective of a communicator. */
struct signature {
    uint64_t count;
    int function, datatype, op, root;
};

struct call {
    struct signature what; /* root: for Send and Recv the peer */
    const void *send;
    void *receive;
    double scalar; /* of PreMulSum */
    const void *scalar_pointer; /* the same in device memory, read when the call runs; else NULL */
    unsigned long number; /* the n-th communication call of this process, from 1 */
};

enum { ABSENT, JOINING, JOINED, LEFT, ABORTED };

/* One rank, in shared memory. */
struct seat {
    _Atomic int state;
    _Atomic int quiet; /* finalized, or being destroyed: no more work comes */
    int pid;
    uint64_t born; /* start time of the process: a number used again is told by it */
    int device;    /* the physical one */
    uint64_t host;
    _Atomic uint64_t phase; /* how far this rank is: see collective.c */
    struct signature call;  /* the collective it is in */
};

/* What a rank says in the n-th split, shrink or grow. */
struct notice {
    _Atomic int posted, id_posted;
    int kind, color, key;
    ncclUniqueId id; /* of the new communicator, from its first rank */
};

/* A queue of chunks from one rank to another. */
struct pipe {
    _Atomic uint64_t posted, taken;
    uint64_t count; /* of the whole message */
    int datatype;
};

struct region {
    uint64_t nonce;
    _Atomic int nranks; /* 0 until the first rank came */
    _Atomic int joined;
    _Atomic int refused; /* an ncclResult_t: the communicator cannot be made */
    char reason[256];
    uint64_t window; /* bytes of each rank's window */
    struct seat seats[MAX_RANKS];
    struct notice notices[MAX_CHILDREN][MAX_RANKS];
    struct pipe pipes[MAX_RANKS][MAX_RANKS];
};

enum { RUNNING = 0, STOPPED_BY_REVOKE, STOPPED_BY_ABORT };

/* What the variables of the environment say; see README.md. They are read when a communicator is made, by the thread
 * that makes it: the worker threads must not read variables while the program sets some. */
struct settings {
    int poison, mismatch_hangs, death_unnoticed, stops_silently, concurrent, multi_rank;
    uint64_t host; /* from NCCL_HOSTID: several "nodes" on one machine */
    long delay_us, seed, hang_report;
    char faults[1024], fault_file[256];
};

struct ncclComm {
    struct settings settings;
    int rank, nranks, device;
    int blocking, shared_device; /* shared_device: another rank has the same one */
    struct region *region;
    char *windows, *pipes;
    _Atomic int alive; /* 0 after destroy or abort */
    _Atomic int stop;
    _Atomic int asynchronous; /* an ncclResult_t */
    _Atomic int finalized;
    _Atomic int running; /* batches on worker threads now */
    _Atomic int64_t busy_until; /* nanoseconds: a call of a non-blocking communicator is in progress */
    _Atomic uint64_t issued, finished; /* batches of calls: they run one after the other, in the order of the calls */
    uint64_t collectives;       /* done by the worker */
    int children;
    struct ncclComm *parent; /* while a child is joined: its parent */
    uint32_t awaited;        /* and the ranks of the parent that must come, as bits */
    int grow_id_pending;
    struct {
        int used, datatype;
        double value;
        const void *pointer;
    } operators[MAX_OPERATORS];
    char error[512];
    struct ncclComm *next;
};

extern const size_t datatype_size[ncclNumTypes];
extern const char *const function_names[];

/* settings.c */
void read_settings(struct settings *settings);
long environment_number(const char *name, long otherwise);

/* shared.c */
ncclResult_t region_create(ncclUniqueId *id);
struct region *region_attach(const ncclUniqueId *id, char **windows, char **pipes, ncclResult_t *why);
void region_release_windows(struct ncclComm *comm);
void regions_close_complete(void);
/* The lowest of the parent's ranks that must come and are dead; -1 if none is. */
int dead_among_awaited(const struct ncclComm *comm);
int seat_is_dead(const struct seat *seat);
void process_born(int *pid, uint64_t *born);

/* waiting.c */
int64_t monotonic_nanoseconds(void);
/* One wait: start from {0}. */
struct patience {
    unsigned turns;
    int64_t since;
    int reported;
};
/* Sleeps a little, longer from turn to turn. */
void relax(struct patience *patience);
/* The same, and looks from time to time whether a peer is gone and whether to report a hang in `doing`. */
void relax_and_watch(struct ncclComm *comm, struct patience *patience, const char *doing);
/* Waits until all ranks have reached `phase`. Returns 0, or 1 if the communicator was stopped. */
int wait_for_phase(struct ncclComm *comm, uint64_t phase, const char *doing);
/* Sleeps; returns 1 if the communicator was stopped meanwhile. */
int sleep_unless_stopped(struct ncclComm *comm, long microseconds);

/* errors.c */
ncclResult_t fail(struct ncclComm *comm, ncclResult_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for work that runs on a stream: loud on stderr, kept as the asynchronous error, and the stream fails. */
void fail_asynchronously(struct ncclComm *comm, ncclResult_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether the communicator has an asynchronous error. */
int has_failed(struct ncclComm *comm);
void describe(const struct signature *call, char *text, size_t size);

/* communicator.c */
struct init {
    struct ncclComm *comm;
    int nranks, rank;
    ncclUniqueId id;
};
ncclResult_t check_communicator(struct ncclComm *comm, const char *function);
struct ncclComm *make_communicator(void);
ncclResult_t join(struct ncclComm *comm, int nranks, const ncclUniqueId *id, int rank);
ncclResult_t read_config(const ncclConfig_t *config, struct ncclComm *comm);
int drain(struct ncclComm *comm);
/* Runs function(argument) on a detached thread. */
void run_in_background(void *(*function)(void *), void *argument);

/* Starts a join: at the end of the group, now, or in the background, as the communicator is. */
ncclResult_t begin_join(ncclComm_t *handle, const struct init *init);
/* Waits until no batch of the communicator runs; one that starts later sees that it was stopped. */
void wait_until_nothing_runs(struct ncclComm *comm);

/* group.c */
int group_active(void);
void group_add_init(const struct init *init);
/* Keeps a call for the end of the group, or issues it at once. */
ncclResult_t group_add_call(struct ncclComm *comm, cudaStream_t stream, const struct call *call);
ncclResult_t group_remember_error(ncclResult_t result);

/* batch.c */
ncclResult_t issue_calls(struct ncclComm *comm, cudaStream_t stream, const struct call *calls, int count);
/* Whether a fault refuses the call that comes next; it counts then. */
int next_call_is_refused(struct ncclComm *comm);

/* collective.c, point_to_point.c, reduce.c */
void run_collective(struct ncclComm *comm, const struct call *call);
/* With FAKE_NCCL_POISON: fills the result with NaN, if it is not the input too. */
void poison_result(struct ncclComm *comm, const struct call *call);
void run_point_to_point(struct ncclComm *comm, const struct call *calls, int count);
/* accumulator[i] = round(accumulator[i] op value[i]), in the type's own precision. */
void reduce_into(void *accumulator, const void *value, size_t count, int datatype, int op);
void scale_into(void *target, const void *value, size_t count, int datatype, double scalar);
void divide(void *target, size_t count, int datatype, int divisor);
double scalar_value(const void *pointer, int datatype);

/* fault.c */
/* Whether the call itself is refused. */
int fault_refuses(struct ncclComm *comm, unsigned long number);
/* Returns 1 if the call must not run any further. */
int fault_before(struct ncclComm *comm, unsigned long number);
void fault_within(struct ncclComm *comm, unsigned long number);
void random_delay(struct ncclComm *comm, unsigned long number);
void fault_set_world_rank(int rank);

#endif
