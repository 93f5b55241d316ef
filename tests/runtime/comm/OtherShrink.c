/* Before Open MPI's own in the order of libraries: a MPIX_Comm_shrink that is wrong in the rounds
   that KERATIN_TEST_WRONG_SHRINKS counts, differently on ranks, as one may be that is called while
   ranks are lost. launchers_test.py preloads it. */
#include <dlfcn.h>
#include <stdlib.h>

typedef void *comm_t;
extern char ompi_mpi_comm_self;

int MPIX_Comm_shrink(comm_t comm, comm_t *made) {
  static int round;
  int (*shrink)(comm_t, comm_t *) = (int (*)(comm_t, comm_t *))dlsym(RTLD_NEXT, "MPIX_Comm_shrink");
  int (*rank_of)(comm_t, int *) = (int (*)(comm_t, int *))dlsym(RTLD_NEXT, "MPI_Comm_rank");
  const char *wrong = getenv("KERATIN_TEST_WRONG_SHRINKS");
  int rank = 0, code;
  rank_of(comm, &rank);
  code = shrink(comm, made);
  if (round++ >= (wrong ? atoi(wrong) : 0))
    return code;
  if (rank == 0 && round == 1)
    *made = comm; /* the lost rank is in it */
  if (rank == 2)
    *made = &ompi_mpi_comm_self;
  return rank == 3 ? 75 : code;
}
