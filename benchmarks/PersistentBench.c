/* What a persistent collective of MPI 4 saves: the least time of one that is started again and
   again, beside that of one that is called anew, in turns; of the start, and until it is over. An
   all_reduce of floats, and the all_gather that Keratin's engine moves parts by. ENV/bin/mpicc -O2
   benchmarks/PersistentBench.c -o persistent && ENV/bin/mpirun -n 2 ./persistent [SECONDS] Rank 0
   prints a line for each size: bytes, and for each of both microseconds of the start, anew and
   persistent, and until it is over, anew and persistent. */
#include <mpi.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static void finish(MPI_Request *request) {
  for (int is_over = 0; !is_over;) {
    MPI_Test(request, &is_over, MPI_STATUS_IGNORE);
    if (!is_over)
      sched_yield();
  }
}

typedef struct {
  float *send, *receive;
  int count, rank, size;
  int *counts, *places;
} buffers;

static void reduce(const buffers *b, MPI_Request *request) {
  MPI_Iallreduce(b->send, b->receive, b->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, request);
}
static void prepare_reduce(const buffers *b, MPI_Request *request) {
  MPI_Allreduce_init(b->send, b->receive, b->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD,
                     MPI_INFO_NULL, request);
}
/* Of each rank a part of as many bytes as there are in all. */
static void gather(const buffers *b, MPI_Request *request) {
  MPI_Iallgatherv(b->send, b->counts[b->rank], MPI_BYTE, b->receive, b->counts, b->places, MPI_BYTE,
                  MPI_COMM_WORLD, request);
}
static void prepare_gather(const buffers *b, MPI_Request *request) {
  MPI_Allgatherv_init(b->send, b->counts[b->rank], MPI_BYTE, b->receive, b->counts, b->places,
                      MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

/* The least time of either way, of the rank for which it took longest, within some seconds. */
static void measure(const buffers *b, double seconds, void (*start)(const buffers *, MPI_Request *),
                    void (*prepare)(const buffers *, MPI_Request *), double least[4]) {
  MPI_Request persistent, request;
  prepare(b, &persistent);
  for (int which = 0; which < 4; ++which)
    least[which] = 1e9;
  double opening = MPI_Wtime();
  MPI_Bcast(&opening, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double latest = opening;
  for (int turn = 0; turn < 20 || latest - opening < seconds; ++turn) {
    MPI_Barrier(MPI_COMM_WORLD);
    const int is_persistent = turn % 2;
    const double begin = MPI_Wtime();
    if (is_persistent)
      MPI_Start(&persistent);
    else
      start(b, &request);
    const double started = MPI_Wtime();
    finish(is_persistent ? &persistent : &request);
    const double now = MPI_Wtime(), own[2] = {(started - begin) * 1e6, (now - begin) * 1e6};
    double longest[2];
    MPI_Allreduce(own, longest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int which = 0; which < 2; ++which)
      if (longest[which] < least[2 * which + is_persistent])
        least[2 * which + is_persistent] = longest[which];
    latest = now;
    MPI_Bcast(&latest, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Request_free(&persistent);
}

int main(int argc, char **argv) {
  static const int sizes[] = {8, 256, 4 << 10, 64 << 10, 1 << 20, 4 << 20, 25 << 20};
  const int most = 25 << 20;
  const double seconds = argc > 1 ? atof(argv[1]) : 2;
  buffers b;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b.size);
  b.send = calloc(1, (size_t)most);
  b.receive = calloc(1, (size_t)most + 64);
  b.counts = calloc((size_t)b.size, sizeof(int));
  b.places = calloc((size_t)b.size, sizeof(int));
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); ++i) {
    double reduced[4], gathered[4];
    b.count = sizes[i] / 4;
    for (int rank = 0; rank < b.size; ++rank) {
      b.counts[rank] = (sizes[i] + b.size - 1) / b.size;
      b.places[rank] = rank * b.counts[0];
    }
    measure(&b, seconds, reduce, prepare_reduce, reduced);
    measure(&b, seconds, gather, prepare_gather, gathered);
    if (b.rank == 0)
      printf("%9d  all_reduce %8.2f %8.2f %9.2f %9.2f  all_gather %8.2f %8.2f %9.2f %9.2f\n",
             sizes[i], reduced[0], reduced[1], reduced[2], reduced[3], gathered[0], gathered[1],
             gathered[2], gathered[3]);
    fflush(stdout);
  }
  free(b.send);
  free(b.receive);
  free(b.counts);
  free(b.places);
  MPI_Finalize();
  return 0;
}
