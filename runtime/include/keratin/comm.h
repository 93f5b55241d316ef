// Groups: processes that run one program together, the ranks of a job, and what they tell each
// other.
//
// Conventions beside those of runtime.h.
//  1. Every rank of a group starts the same collectives in the same order, of any thread, one
//     thread at a time. What differs in kind, dtype, sizes or name fails on all ranks, named.
//  2. Results do not depend on the engine: elements are added up in the order of ranks, in more
//     bits than they have, and rounded once; so they are equal on all ranks, and equal from run to
//     run for a number of ranks.
//  3. A collective that fails on one rank fails on all of them. If the ranks still know where
//     the others are (different sizes, a rank that has called keratin_group_fail), that is
//     KERATIN_ABORTED, and the group stays usable; after a lost rank, a message that did not come
//     in time or a failure of the engine it is KERATIN_UNAVAILABLE: the group is broken, and says
//     so each time.
//  4. A group belongs to the process that made it: after fork() the child must not use it.
#ifndef KERATIN_COMM_H
#define KERATIN_COMM_H

#include <keratin/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- Engines -------------------------------------------------------------------------------------

#define KERATIN_COMM_ABI_VERSION 1

// What an engine moves. Bytes are those of a part; every rank has one part for each rank.
typedef enum keratin_move_kind_t {
  // receive gets the parts of all ranks, in their order; send is the own one.
  KERATIN_MOVE_GATHER = 0,
  // send has a part for each rank, in their order: parts[r] bytes for rank r from everybody.
  // receive gets what all ranks have for this one: `size` parts of parts[rank] bytes.
  KERATIN_MOVE_EXCHANGE = 1,
  // receive gets parts[0] bytes of send of the rank `from`; send is read there alone.
  KERATIN_MOVE_BROADCAST = 2,
  // send, parts[0] bytes, goes to the rank `to`, and receive gets parts[1] bytes of the rank
  // `from`;
  // -1: there is none. If a says that it sends to b, b says that it receives from a, as many bytes.
  KERATIN_MOVE_SHIFT = 3
} keratin_move_kind_t;

typedef struct keratin_move_t {
  uint32_t bytes; // of this struct
  int32_t kind;   // keratin_move_kind_t
  const void *send;
  void *receive;        // apart from send, but for BROADCAST
  const int64_t *parts; // of GATHER and EXCHANGE `size` of them
  int32_t from, to;
  int64_t deadline; // in nanoseconds of CLOCK_MONOTONIC: when the move has failed
} keratin_move_t;

// An engine as one rank sees it: a table that its owner makes, and that lives until close(). Moves
// come one at a time, from any thread, and in the same order on all ranks. It grows at its end
// only.
typedef struct keratin_comm_t {
  uint32_t bytes; // of this table
  uint32_t abi_version;
  const char *name; // for messages: "shared memory", "MPI"
  void *user;       // the first argument of all functions
  int32_t rank, size;
  // Returns when receive has what it gets and send may be written again. A failure breaks the
  // group: later moves are not tried.
  keratin_status_code_t (*move)(void *user, const keratin_move_t *move, keratin_status_t *status);
  // Nothing is under way, and no more will come. May be NULL.
  void (*close)(void *user);
  // From here on tables may be shorter; what one has not is 0.
  // Not 0: a GATHER of a few bytes takes about as long as a SHIFT, however many ranks there are.
  int32_t gathers_at_once;
  int32_t reserved;
  // The engine of `count` ranks, first, first + stride, …, of which this is one, in this order; all
  // ranks call it at once, each with its own. It is closed before this one. NULL: there are none.
  keratin_status_code_t (*split)(void *user, int32_t first, int32_t stride, int32_t count,
                                 int64_t deadline, struct keratin_comm_t **part,
                                 keratin_status_t *status);
  // After a move that has failed: the engine is that of the ranks that are left from here on, in
  // the order that they had. All of them call it, and wait for each other; `rank` and `size` of the
  // table change. What was split off is closed before. A failure changes nothing. NULL: a rank that
  // is lost is the end.
  keratin_status_code_t (*shrink)(void *user, int64_t deadline, keratin_status_t *status);
} keratin_comm_t;

// The ranks of one machine, by memory that they share: `job` names it, 1 to 100 letters, digits,
// '.', '_' and '-', the same on all ranks and of one user. Ranks may be threads or processes. Waits
// until all ranks are there, at most seconds.
KERATIN_API keratin_status_code_t keratin_comm_open_shared(const char *job, int32_t rank,
                                                           int32_t size, double seconds,
                                                           keratin_comm_t **comm,
                                                           keratin_status_t *status);
// All processes that mpirun or srun has started: MPI_COMM_WORLD of Open MPI or MPICH, whose library
// is the process's own if it has one, libmpi.so.40, libmpich.so.12 or libmpi_abi.so.1, or what
// KERATIN_MPI_LIBRARY names. MPI is initialised if the process has not done that, and then
// finalised by close().
KERATIN_API keratin_status_code_t keratin_comm_open_mpi(keratin_comm_t **comm,
                                                        keratin_status_t *status);
// What the launcher of this process says (docs/distributed.md): mpirun's, srun's and torchrun's
// variables, or KERATIN_RANK, KERATIN_RANKS and KERATIN_JOB. One rank where there is no launcher.
KERATIN_API keratin_status_code_t keratin_comm_open(keratin_comm_t **comm,
                                                    keratin_status_t *status);

// --- Groups --------------------------------------------------------------------------------------

struct keratin_state_t;
typedef struct keratin_group_t keratin_group_t;
typedef struct keratin_request_t keratin_request_t;

// The group takes the engine, and closes it in the end; so it does on failure.
KERATIN_API keratin_status_code_t keratin_group_create(keratin_comm_t *comm,
                                                       keratin_group_t **group,
                                                       keratin_status_t *status);
// Waits for what is under way.
KERATIN_API void keratin_group_destroy(keratin_group_t *group);
// Waits for what is under way and closes the engine; collectives fail from then on.
KERATIN_API void keratin_group_leave(keratin_group_t *group);

// After KERATIN_UNAVAILABLE: those ranks that are left are the group's from here on, in the order
// that they had, and collectives go on. All of them call it, and wait for each other. A mesh is
// shorter along its first axis; of several axes, who lacks a rank at its place along that one has
// KERATIN_UNAVAILABLE, and leaves. KERATIN_UNIMPLEMENTED where the engine cannot.
KERATIN_API keratin_status_code_t keratin_group_shrink(keratin_group_t *group,
                                                       keratin_status_t *status);

KERATIN_API int32_t keratin_group_rank(const keratin_group_t *group);
KERATIN_API int32_t keratin_group_size(const keratin_group_t *group);
KERATIN_API const char *keratin_group_engine(const keratin_group_t *group);

// How long a rank waits for the others in one collective: KERATIN_COLLECTIVE_TIMEOUT, 300 unless it
// is set, until this is called.
KERATIN_API void keratin_group_set_timeout(keratin_group_t *group, double seconds);

typedef enum keratin_collective_kind_t {
  // receive: element by element what the reduction makes of all ranks' send.
  KERATIN_ALL_REDUCE = 0,
  // receive: the sends of all ranks, one behind the other. They may have different lengths;
  // receive_elements is their sum.
  KERATIN_ALL_GATHER = 1,
  // receive: of what the reduction makes of all ranks' send the part of this rank. Parts are of
  // receive_elements on each rank, which may differ; send_elements is their sum.
  KERATIN_REDUCE_SCATTER = 2,
  // receive: send of the rank `from`, which the others need not have.
  KERATIN_BROADCAST = 3,
  // Part r of send, one of `size` equal ones, goes to rank r; receive: the parts for this rank.
  KERATIN_ALL_TO_ALL = 4,
  // send goes to rank `to`, receive comes from rank `from`; -1: there is none, and receive is left
  // as it is.
  KERATIN_PERMUTE = 5,
  KERATIN_BARRIER = 6
} keratin_collective_kind_t;

typedef enum keratin_reduction_t {
  KERATIN_REDUCE_SUM = 0, // integers wrap around; of booleans: or
  KERATIN_REDUCE_MAX = 1, // NaN if one is
  KERATIN_REDUCE_MIN = 2,
  KERATIN_REDUCE_BEFORE = 3, // the sum over the ranks before this one; of ALL_REDUCE alone
  KERATIN_REDUCE_MEAN = 4    // of floats: the sum over the number of ranks, rounded once
} keratin_reduction_t;

// An axis of a mesh that all ranks are arranged in, the last one's numbers following one another:
// the ranks of it that are told apart by nothing else, `count` of them, whose numbers are `stride`
// apart. Of 2 x 4 ranks rank 5 is the second of {2, 4}, ranks 1 and 5, and the second of {4, 1}, 4
// to 7. 0: all ranks.
typedef struct keratin_axis_t {
  int32_t count, stride;
} keratin_axis_t;

typedef struct keratin_mesh_axis_t {
  const char *name;
  int32_t count; // of ranks along it
} keratin_mesh_axis_t;

// Gives the axes names, by which executables know them: all ranks are arranged in the mesh of
// these, of which the last one's numbers follow one another. Before executables are told of the
// group. KERATIN_INVALID_ARGUMENT where the mesh is not of as many ranks as there are.
KERATIN_API keratin_status_code_t keratin_group_arrange(keratin_group_t *group,
                                                        const keratin_mesh_axis_t *axes,
                                                        int32_t num_axes, keratin_status_t *status);

typedef struct keratin_collective_t {
  uint32_t bytes; // of this struct
  int32_t kind;   // keratin_collective_kind_t
  int32_t dtype;  // keratin_dtype_t
  int32_t reduction;
  int32_t from, to;
  const void *send;
  void *receive; // of ALL_REDUCE and BROADCAST it may be send, else apart from it
  int64_t send_elements, receive_elements;
  const char *name; // for messages, kept until the collective is over; NULL: none
  // Among which ranks, by their places in it; `from`, `to` and all that is said of all ranks, too.
  // It succeeds or fails on all of the group none the less. 0 where `bytes` ends before it.
  keratin_axis_t axis;
} keratin_collective_t;

// Starts a collective, which goes on beside what the caller does; buffers must stay until it has
// been waited for, which each request must be, once.
KERATIN_API keratin_status_code_t keratin_group_start(keratin_group_t *group,
                                                      const keratin_collective_t *collective,
                                                      keratin_request_t **request,
                                                      keratin_status_t *status);
KERATIN_API keratin_status_code_t keratin_group_wait(keratin_group_t *group,
                                                     keratin_request_t *request,
                                                     keratin_status_t *status);
// Both.
KERATIN_API keratin_status_code_t keratin_group_run(keratin_group_t *group,
                                                    const keratin_collective_t *collective,
                                                    keratin_status_t *status);
// The executable's calls are those of all ranks: its collectives (keratin_function_desc_t) are the
// group's, and a call that fails on one rank fails on all of them and updates nothing. Before the
// first call; the group outlives the executable. Of a function without collectives nothing changes.
// KERATIN_INVALID_ARGUMENT where its collectives are along an axis that the group's mesh has not.
KERATIN_API keratin_status_code_t keratin_executable_set_group(keratin_executable_t *executable,
                                                               keratin_group_t *group,
                                                               keratin_status_t *status);

// The same of all functions of a state of a model compiled ahead of time (<keratin/object.h>), in
// the ranks of an engine, which it takes, or, for NULL, of keratin_comm_open. All ranks join,
// before any calls a sharded function; the variables then have the values of rank 0. Once for a
// state, whether it succeeds or not; a copy of the state is alone. With the state the group ends.
KERATIN_API keratin_status_code_t keratin_state_join(struct keratin_state_t *state,
                                                     keratin_comm_t *engine,
                                                     keratin_status_t *status);
// The same, and arranges the ranks in a mesh, "data:2,model:2" say, for functions with collectives
// along its axes. Their calls get the rows of this rank's place along the axis of their parts.
KERATIN_API keratin_status_code_t keratin_state_join_mesh(struct keratin_state_t *state,
                                                          keratin_comm_t *engine, const char *mesh,
                                                          keratin_status_t *status);
// As keratin_group_leave.
KERATIN_API keratin_status_code_t keratin_state_leave(struct keratin_state_t *state,
                                                      keratin_status_t *status);
// Which rank this is, of how many; 0 of 1 where the state has not joined any.
KERATIN_API keratin_status_code_t keratin_state_ranks(const struct keratin_state_t *state,
                                                      int32_t *rank, int32_t *ranks,
                                                      keratin_status_t *status);

// In the place of a call of the executable that the caller refuses before it is made: it fails on
// all ranks, with this message. Of a function without collectives, or without a group, nothing
// happens.
KERATIN_API void keratin_executable_refuse(keratin_executable_t *executable, const char *message);

// In the place of the next collective of the others: it fails on all ranks, with this message and
// the number of this rank.
KERATIN_API void keratin_group_fail(keratin_group_t *group, const char *message);

#ifdef __cplusplus
}
static_assert(sizeof(keratin_move_t) == 48, "layout is part of the ABI");
static_assert(sizeof(keratin_comm_t) == 72, "layout is part of the ABI");
static_assert(sizeof(keratin_axis_t) == 8, "layout is part of the ABI");
static_assert(sizeof(keratin_mesh_axis_t) == 16, "layout is part of the ABI");
static_assert(sizeof(keratin_collective_t) == 72, "layout is part of the ABI");
#endif

#endif // KERATIN_COMM_H
