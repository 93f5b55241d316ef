// What tests ask the look-alike of NCCL beside what NCCL can be asked. Functions of the same shared
// library, to be found by dlsym.
#ifndef KERATIN_TESTS_CUDA_NCCL_CONTROL_H
#define KERATIN_TESTS_CUDA_NCCL_CONTROL_H

#include <stdint.h>

extern "C" {

// How often things were done since the process began, and how many communicators there are.
struct keratin_nccl_counts_t {
  int64_t communicators, messages, aborts;
};

// What goes wrong from now on. "fail=ncclAllReduce:2": of the function the second call that a rank
// makes fails; ":0" behind it: if it is rank 0. "stall=1:3": what rank 1 sends third is never sent.
// "lose=1:3": then the others are told that it is lost. "version=21000": it is that of NCCL 2.10.
// "none": nothing. A rank is known by the number of its device, in all its communicators; messages
// and calls are counted from 1 on, from here.
void keratin_nccl_set(const char *fault);
void keratin_nccl_counts(keratin_nccl_counts_t *counts);
}

#endif // KERATIN_TESTS_CUDA_NCCL_CONTROL_H
