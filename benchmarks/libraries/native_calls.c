// Times calls of compiled code by its own C interface, many in a row: native.py. In one process, so
// that what is compared has the same core, clock and neighbours.
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// A call of one of the interfaces, with what it is given; returns 0, or what went wrong.
typedef struct {
  int (*call)(const void *context);
  const void *context;
} native_call_t;

// ---- CasADi's generated C ----------------------------------------------------------------------

typedef struct {
  int (*function)(const double **arguments, double **results, long long *integers, double *work,
                  int memory);
  const double **arguments;
  double **results;
  long long *integers;
  double *work;
} casadi_call_t;

int call_casadi(const void *context) {
  const casadi_call_t *c = context;
  return c->function(c->arguments, c->results, c->integers, c->work, 0);
}

// ---- A model of Keratin's, compiled ahead of time ----------------------------------------------

typedef struct {
  int (*run)(void *state, const void *inputs, const void *outputs, void *workspace, size_t bytes,
             void *status);
  void *state;
  const void *inputs, *outputs;
  void *workspace;
  size_t bytes;
} keratin_call_t;

int call_keratin(const void *context) {
  const keratin_call_t *c = context;
  return c->run(c->state, c->inputs, c->outputs, c->workspace, c->bytes, NULL);
}

// ---- A density as nutpie calls it, compiled by Numba -------------------------------------------

typedef struct {
  int64_t (*function)(uint64_t count, const double *point, double *gradient, double *density,
                      void *data);
  uint64_t count;
  const double *point;
  double *gradient, *density;
  void *data;
} numba_call_t;

int call_numba(const void *context) {
  const numba_call_t *c = context;
  return (int)c->function(c->count, c->point, c->gradient, c->density, c->data);
}

// ---- Time --------------------------------------------------------------------------------------

static double processor_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Seconds that so many calls take; negative if one fails.
double seconds_of(const native_call_t *call, int64_t calls) {
  const double begin = processor_seconds();
  for (int64_t i = 0; i < calls; ++i)
    if (call->call(call->context))
      return -1;
  return processor_seconds() - begin;
}
