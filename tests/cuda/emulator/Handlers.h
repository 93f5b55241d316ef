// What instructions do that are no function of lanes.
#pragma once

#include "tests/cuda/emulator/Code.h"

namespace keratin::ptx {

#define KERATIN_HANDLERS(X)                                                                        \
  /* Values.cpp */                                                                                 \
  X(runQuaternary)                                                                                 \
  X(compareAndCombine)                                                                             \
  X(compareToValue)                                                                                \
  X(predicateLogic)                                                                                \
  X(convertLanes)                                                                                  \
  X(packLanes)                                                                                     \
  X(unpackLanes)                                                                                   \
  X(readClock)                                                                                     \
  X(testSpace) /* Access.cpp, Atomics.cpp, AsyncCopies.cpp, Matrices.cpp */                        \
  X(loadParameter)                                                                                 \
  X(loadMemory)                                                                                    \
  X(storeMemory)                                                                                   \
  X(updateMemory)                                                                                  \
  X(copyAsync)                                                                                     \
  X(commitGroup)                                                                                   \
  X(waitGroups)                                                                                    \
  X(loadMatrix) X(multiplyMatrix) /* Warpgroups.cpp */                                             \
      X(fenceProducts) X(multiplyAsync) X(commitProducts) X(waitProducts)                          \
          X(fenceProxy) /* Exchanges.cpp */                                                        \
      X(shuffle) X(vote) X(matchLanes) X(reduceLanes) X(activeLanes)                               \
          X(electLane) /* Control.cpp */                                                           \
      X(branchTo) X(branchIndexed) X(exitThreads) X(returnThreads) X(callFunction) X(stopAtTrap)   \
          X(useBarrier) X(meetLanes) X(fenceMemory) X(doNothing)

#define KERATIN_DECLARE_HANDLER(NAME)                                                              \
  void NAME(Warp &warp, const Instruction &instruction, uint32_t mask);
KERATIN_HANDLERS(KERATIN_DECLARE_HANDLER)
#undef KERATIN_DECLARE_HANDLER

// What an Instruction's `e` says where a handler has variants.
enum class Logic : uintptr_t { And, Or, Xor, Not, Move };
enum class Vote : uintptr_t { All, Any, Uniform, Ballot };
enum class LaneReduction : uintptr_t { Add, Min, Max, And, Or, Xor, MinSigned, MaxSigned };
constexpr uintptr_t flipA = 256, flipB = 512; // operands that are negated: bits beside the variant

} // namespace keratin::ptx
