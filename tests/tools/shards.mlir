// Shards that a saved graph has, and that the command line adds: the header of a model whose functions tell other
// ranks something says so, and no other.
// RUN: keratin-compile %S/../compat/golden/1.4/shards.ktg -o /dev/null --header=- | FileCheck %s --check-prefix=JOINS
// RUN: keratin-compile %s -o /dev/null --name=m --header=- | FileCheck %s --check-prefix=ALONE
// RUN: keratin-compile %s -o /dev/null --name=m --shard=rows --header=- | FileCheck %s --check-prefix=PARTS
// RUN: keratin-compile %s -o /dev/null --name=m --shard=length --header=- | FileCheck %s --check-prefix=WHOLE
// JOINS: struct keratin_comm_t;
// JOINS: keratin_status_code_t shards_state_join(shards_state_t *state, struct keratin_comm_t *engine, keratin_status_t *status);
// JOINS: keratin_status_code_t shards_state_ranks(const shards_state_t *state, int32_t *rank, int32_t *ranks, keratin_status_t *status);
// JOINS: keratin_status_code_t shards_state_leave(shards_state_t *state, keratin_status_t *status);
// ALONE-NOT: join
// Each rank has its own rows: nothing is summed up over them.
// PARTS-NOT: join
// WHOLE: m_state_join
func.func @f(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.sizes = ["rows", "length"]} {
  %y = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
