// What engines share that move parts in steps of so many bytes.
#ifndef KERATIN_RUNTIME_COMM_PARTS_H
#define KERATIN_RUNTIME_COMM_PARTS_H

#include "runtime/comm/Engine.h"

namespace keratin::comm {

// Of GATHER and EXCHANGE.
inline int64_t longestPart(const keratin_move_t &move, int32_t size) {
  int64_t longest = 0;
  for (int32_t rank = 0; rank < size; ++rank)
    longest = longest < move.parts[rank] ? move.parts[rank] : longest;
  return longest;
}

// Of `length` bytes those of the step that begins at `begin`.
inline int64_t bytesOfStep(int64_t length, int64_t begin, int64_t step) {
  int64_t left = length > begin ? length - begin : 0;
  return left < step ? left : step;
}

// By the engine's method for the kind of move.
template <typename Engine>
Code runMove(Engine &engine, const keratin_move_t &move, keratin_status_t *status) {
  switch (move.kind) {
  case KERATIN_MOVE_GATHER:
    return engine.gather(move, status);
  case KERATIN_MOVE_EXCHANGE:
    return engine.exchange(move, status);
  case KERATIN_MOVE_BROADCAST:
    return engine.broadcast(move, status);
  case KERATIN_MOVE_SHIFT:
    return engine.shift(move, status);
  default:
    return runtime::fail(status, KERATIN_UNIMPLEMENTED, "%s: no move of the kind %d",
                         engine.table.name, move.kind);
  }
}

// The table of an engine with the methods run() and close().
template <typename Engine>
keratin_comm_t tableOf(Engine *engine, const char *name, int32_t rank, int32_t size) {
  keratin_comm_t table = {};
  table.bytes = sizeof(table);
  table.abi_version = KERATIN_COMM_ABI_VERSION;
  table.name = name;
  table.user = engine;
  table.rank = rank;
  table.size = size;
  table.move = [](void *user, const keratin_move_t *move, keratin_status_t *status) {
    return static_cast<Engine *>(user)->run(*move, status);
  };
  table.close = [](void *user) { static_cast<Engine *>(user)->close(); };
  return table;
}

} // namespace keratin::comm

#endif // KERATIN_RUNTIME_COMM_PARTS_H
