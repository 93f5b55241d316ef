/* A rank that a launcher has started: all collectives, with what each gives held against what it
   must be; prints one line on rank 0. C99, so that the header is. An argument says otherwise:
     brief        little data
     kill KIND    rank 1 is killed in a collective of that number, and before it with "early"; the
                  others must not wait for ever
     shrink KIND  the same, and the others go on without it
     late FOLDER  the same, and the last rank waits until the others have given up waiting for it
     stay         they go on without a lost one though there is none, and say what they are told
     differ KIND  rank 1 asks for something else than the others, who must be told, and go on */
#include <keratin/comm.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static keratin_group_t *group;
static int rank, size;
/* Of the axis that collectives are among: its ranks, and this one's place. */
static keratin_axis_t axis;
static int members, place;

static int number(int which) { return axis.count ? rank + (which - place) * axis.stride : which; }

static void choose(int count, int stride) {
  axis.count = count;
  axis.stride = stride;
  members = count ? count : size;
  place = count ? rank / stride % count : rank;
}

static void need(int condition, const char *what, const keratin_status_t *status) {
  if (condition)
    return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, status ? status->message : "");
  fflush(stderr);
  _exit(1);
}

static void run(keratin_collective_t wanted, const char *name) {
  keratin_status_t status;
  wanted.bytes = sizeof(wanted);
  wanted.dtype = KERATIN_DTYPE_INT32;
  wanted.name = name;
  wanted.axis = axis;
  need(keratin_group_run(group, &wanted, &status) == KERATIN_OK, name, &status);
}

/* Element i of what a rank has. */
static int32_t element(int owner, int64_t i) { return (int32_t)(i % 1000 * 31 + owner * 1009); }

static int32_t *fill(int64_t count) {
  int32_t *data = malloc((size_t)(count + 1) * sizeof(int32_t));
  for (int64_t i = 0; i < count; ++i)
    data[i] = element(rank, i);
  return data;
}

static void check(int64_t count) {
  int32_t *send = fill(count * members), *receive = malloc((size_t)(count * members + 1) * 4);
  keratin_collective_t c;

  memset(&c, 0, sizeof(c));
  c.kind = KERATIN_ALL_REDUCE;
  c.send = send;
  c.receive = receive;
  c.send_elements = c.receive_elements = count;
  run(c, "all_reduce");
  for (int64_t i = 0; i < count; ++i) {
    int32_t sum = 0;
    for (int r = 0; r < members; ++r)
      sum += element(number(r), i);
    need(receive[i] == sum, "all_reduce is wrong", NULL);
  }

  c.kind = KERATIN_ALL_GATHER;
  c.receive_elements = count * members;
  run(c, "all_gather");
  for (int64_t i = 0; i < count * members; ++i)
    need(receive[i] == element(number((int)(i / count)), i % count), "all_gather is wrong", NULL);

  c.kind = KERATIN_REDUCE_SCATTER;
  c.send_elements = count * members;
  c.receive_elements = count;
  run(c, "reduce_scatter");
  for (int64_t i = 0; i < count; ++i) {
    int32_t sum = 0;
    for (int r = 0; r < members; ++r)
      sum += element(number(r), place * count + i);
    need(receive[i] == sum, "reduce_scatter is wrong", NULL);
  }

  c.kind = KERATIN_ALL_TO_ALL;
  c.receive_elements = count * members;
  run(c, "all_to_all");
  for (int64_t i = 0; i < count * members; ++i)
    need(receive[i] == element(number((int)(i / count)), place * count + i % count),
         "all_to_all is wrong", NULL);

  c.kind = KERATIN_BROADCAST;
  c.send_elements = c.receive_elements = count;
  c.from = members - 1;
  run(c, "broadcast");
  for (int64_t i = 0; i < count; ++i)
    need(receive[i] == element(number(members - 1), i), "broadcast is wrong", NULL);

  c.kind = KERATIN_PERMUTE;
  c.to = (place + 1) % members;
  c.from = (place + members - 1) % members;
  run(c, "permute");
  for (int64_t i = 0; i < count; ++i)
    need(receive[i] == element(number(c.from), i), "permute is wrong", NULL);

  c.kind = KERATIN_BARRIER;
  run(c, "barrier");
  free(send);
  free(receive);
}

/* Buckets under way while the rank computes. */
static void overlap(void) {
  enum { buckets = 8 };
  int32_t *data[buckets];
  keratin_request_t *requests[buckets];
  keratin_status_t status;
  for (int b = 0; b < buckets; ++b) {
    keratin_collective_t c;
    memset(&c, 0, sizeof(c));
    c.bytes = sizeof(c);
    c.kind = KERATIN_ALL_REDUCE;
    c.dtype = KERATIN_DTYPE_INT32;
    data[b] = fill(50000);
    c.send = c.receive = data[b];
    c.send_elements = c.receive_elements = 50000;
    c.name = "bucket";
    need(keratin_group_start(group, &c, &requests[b], &status) == KERATIN_OK, "start", &status);
  }
  for (int b = 0; b < buckets; ++b) {
    need(keratin_group_wait(group, requests[b], &status) == KERATIN_OK, "wait", &status);
    int32_t sum = 0;
    for (int r = 0; r < size; ++r)
      sum += element(r, 4711);
    need(data[b][4711] == sum, "a bucket is wrong", NULL);
    free(data[b]);
  }
}

/* What becomes of the group when rank 1 does something else at a collective of the kind. */
static void disturb(const char *how, int kind, int early) {
  enum { count = 120000 };
  int32_t *send = fill((int64_t)count * size), *receive = malloc((size_t)count * (size_t)size * 4);
  keratin_collective_t c;
  keratin_request_t *request;
  keratin_status_t status;
  const int differs = strcmp(how, "differ") == 0;
  memset(&c, 0, sizeof(c));
  c.bytes = sizeof(c);
  c.kind = kind;
  c.dtype = KERATIN_DTYPE_INT32;
  c.send = send;
  c.receive = receive;
  c.send_elements = kind == KERATIN_REDUCE_SCATTER ? (int64_t)count * size : count;
  c.receive_elements = kind == KERATIN_ALL_GATHER ? (int64_t)count * size : count;
  if (kind == KERATIN_ALL_TO_ALL)
    c.send_elements = c.receive_elements = (int64_t)count * size;
  if (kind == KERATIN_PERMUTE) {
    c.to = (rank + 1) % size;
    c.from = (rank + size - 1) % size;
  }
  c.name = differs && rank == 1 && kind == KERATIN_BARRIER ? "other" : NULL;
  if (differs && rank == 1)
    c.dtype = KERATIN_DTYPE_FLOAT32;
  if (!differs && rank == 1 && early)
    raise(SIGKILL);
  need(keratin_group_start(group, &c, &request, &status) == KERATIN_OK, "start", &status);
  if (!differs && rank == 1)
    raise(SIGKILL);
  if (keratin_group_wait(group, request, &status) != KERATIN_OK)
    printf("rank %d was told: %s\n", rank, status.message);
  else
    need(!differs, "nobody saw the difference", NULL);
  free(send);
  free(receive);
}

/* The ranks that are left are all there are from here on. */
static void go_on(void) {
  keratin_status_t status;
  const int before = size;
  need(keratin_group_shrink(group, &status) == KERATIN_OK, "shrink", &status);
  snprintf(status.message, sizeof(status.message), "rank %d of %d", keratin_group_rank(group),
           keratin_group_size(group));
  need(keratin_group_size(group) == before - 1, "there are other ranks than those left", &status);
  need(keratin_group_rank(group) == (rank == 0 ? 0 : rank - 1), "ranks have other numbers", NULL);
  rank = keratin_group_rank(group);
  size = keratin_group_size(group);
  choose(0, 0);
}

/* The file by which a rank says that it was told: whether it can be opened. */
static int open_told(const char *folder, int which, const char *mode) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/told.%d", folder, which);
  FILE *file = fopen(path, mode);
  if (file)
    fclose(file);
  return file != NULL;
}

/* The last rank comes when all others are told that it has not; then they find it. */
static void wait_for_the_late(const char *folder) {
  keratin_status_t status;
  const int last = size - 1;
  if (rank != last) {
    keratin_group_set_timeout(group, 1);
    need(keratin_group_shrink(group, &status) == KERATIN_UNAVAILABLE, "nobody was late", &status);
    printf("rank %d was told: %s\n", rank, status.message);
    keratin_group_set_timeout(group, 60);
    need(open_told(folder, rank, "w"), "no file", NULL);
    return;
  }
  for (int other = 0; other < last; ++other)
    while (other != 1 && !open_told(folder, other, "r"))
      sleep(1);
}

int main(int argc, char **argv) {
  keratin_comm_t *comm;
  keratin_status_t status;
  need(keratin_comm_open(&comm, &status) == KERATIN_OK, "open", &status);
  need(keratin_group_create(comm, &group, &status) == KERATIN_OK, "create", &status);
  rank = keratin_group_rank(group);
  size = keratin_group_size(group);
  choose(0, 0);
  check(1);
  if (argc == 2 && strcmp(argv[1], "stay") == 0) {
    keratin_group_shrink(group, &status);
    printf("rank %d was told: %s\n", rank, status.message);
    need(keratin_group_size(group) == size, "ranks are lost", NULL);
  }
  const int is_late = argc > 2 && strcmp(argv[1], "late") == 0;
  if (argc > 2)
    disturb(argv[1], is_late ? KERATIN_ALL_REDUCE : atoi(argv[2]), argc > 3);
  if (is_late)
    wait_for_the_late(argv[2]);
  if (argc > 2 && (is_late || strcmp(argv[1], "shrink") == 0)) {
    go_on();
    check(300001);
    overlap();
  }
  check(1000);
  if (argc == 1) {
    check(300001);
    overlap();
  }
  if (argc == 1 && size % 2 == 0) { /* a mesh of 2 times the others */
    choose(2, size / 2);
    check(300001);
    choose(size / 2, 1);
    check(300001);
    choose(2, size / 2);
    check(1);
  }
  if (rank == 0)
    printf("%d ranks over %s: all collectives are right\n", size, keratin_group_engine(group));
  fflush(stdout);
  keratin_group_destroy(group);
  return 0;
}
