// What tests ask the look-alike of the driver beside what a driver can be asked. Functions of the
// same shared library, to be found by dlsym.
#ifndef KERATIN_TESTS_CUDA_DRIVER_CONTROL_H
#define KERATIN_TESTS_CUDA_DRIVER_CONTROL_H

#include <stdint.h>

extern "C" {

// What there is now, and how often things were done since the process began.
struct keratin_emulator_counts_t {
  int64_t contexts; // references to primary contexts
  int64_t allocations, bytes;
  int64_t host_allocations;
  int64_t streams, events, modules, graphs, graph_executables;
  int64_t pending; // work that is not done yet
  int64_t launches, graph_launches, copies_in, copies_out, copies_within, fills, waits;
};

// Changes options while the process runs (KERATIN_EMULATOR's words). Calls that `fail=` counts are
// counted anew; `fail=none` takes all away. Returns "" or what is wrong with them.
const char *keratin_emulator_set(const char *options);
void keratin_emulator_counts(keratin_emulator_counts_t *counts);
// What was done since this was last called: a line of JSON with launches, copies_in and
// copies_out, in graphs too, and graphs; then a line for each kernel as counters=FILE has it.
const char *keratin_emulator_report(void);
// The last fault of a kernel in words; "" if there was none.
const char *keratin_emulator_last_fault(void);
// How often a function was called since `fail=` was last set, by its name without _v2.
int64_t keratin_emulator_calls(const char *function);

// For look-alikes of other libraries. Puts into a stream of the current context what is done once
// may_run is not 0; both are called while nothing else happens on any device, as often as a graph
// with it is launched; release once neither a stream nor a graph has it any more. Returns the
// driver's result.
int keratin_emulator_put(void *stream, int (*may_run)(void *), void (*run)(void *),
                         void (*release)(void *), void *user);
// In run: the host's view of memory of that device, of which bytes that are read must have been
// written; NULL if there is something wrong with it.
void *keratin_emulator_bytes(int device, uint64_t address, uint64_t bytes, int is_written);
// Of the current context; -1: there is none.
int keratin_emulator_device(void);
}

#endif // KERATIN_TESTS_CUDA_DRIVER_CONTROL_H
