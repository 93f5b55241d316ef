/* What messages take: all_reduce of 8 bytes to 64 MiB on the ranks that a launcher has started.
   Rank 0 prints a line of JSON for each size: the least and the median time of a message, and what
   the processor of a rank worked in it, of all ranks on average, in microseconds.
   benchmarks/scale.py reads them. */
#include <keratin/comm.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void need(keratin_status_code_t code, const keratin_status_t *status) {
  if (code == KERATIN_OK)
    return;
  fprintf(stderr, "message_bench: %s\n", status->message);
  exit(1);
}

static double microseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static void reduce(keratin_group_t *group, int dtype, void *data, int64_t elements) {
  keratin_status_t status;
  keratin_collective_t wanted;
  memset(&wanted, 0, sizeof(wanted));
  wanted.bytes = sizeof(wanted);
  wanted.kind = KERATIN_ALL_REDUCE;
  wanted.dtype = dtype;
  wanted.send = wanted.receive = data;
  wanted.send_elements = wanted.receive_elements = elements;
  need(keratin_group_run(group, &wanted, &status), &status);
}

static int compare(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(void) {
  enum { largest = 64 << 20, most = 400 };
  keratin_comm_t *comm;
  keratin_group_t *group;
  keratin_status_t status;
  need(keratin_comm_open(&comm, &status), &status);
  need(keratin_group_create(comm, &group, &status), &status);
  const int32_t rank = keratin_group_rank(group), size = keratin_group_size(group);
  float *data = calloc(1, largest);
  static double times[most];
  if (!data)
    return 1;
  for (int64_t bytes = 8; bytes <= largest; bytes *= bytes == 1 << 24 ? 4 : 8) {
    const int repeats = bytes <= 1 << 15 ? most : bytes <= 1 << 21 ? 40 : 5;
    reduce(group, KERATIN_DTYPE_FLOAT32, data, bytes / 4);
    const double worked = microseconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < repeats; ++i) {
      const double begin = microseconds(CLOCK_MONOTONIC);
      reduce(group, KERATIN_DTYPE_FLOAT32, data, bytes / 4);
      times[i] = microseconds(CLOCK_MONOTONIC) - begin;
    }
    double work = (microseconds(CLOCK_PROCESS_CPUTIME_ID) - worked) / repeats / size;
    reduce(group, KERATIN_DTYPE_FLOAT64, &work, 1);
    qsort(times, (size_t)repeats, sizeof(times[0]), compare);
    if (rank == 0) {
      printf("{\"engine\": \"%s\", \"ranks\": %d, \"bytes\": %lld, \"least\": %.2f, "
             "\"median\": %.2f, \"processor\": %.2f}\n",
             keratin_group_engine(group), size, (long long)bytes, times[0], times[repeats / 2],
             work);
      fflush(stdout);
    }
  }
  keratin_group_destroy(group);
  free(data);
  return 0;
}
