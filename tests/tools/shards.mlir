// Shards that a saved graph has, and that the command line adds: the header of a model whose functions tell other
// ranks something says so, and no other.
// RUN: keratin-compile %S/../compat/golden/1.4/shards.ktg -o /dev/null --header=- | FileCheck %s --check-prefix=JOINS
// RUN: keratin-compile %s -o /dev/null --name=m --header=- | FileCheck %s --check-prefix=ALONE
// RUN: keratin-compile %s -o /dev/null --name=m --shard=rows --header=- | FileCheck %s --check-prefix=PARTS
// RUN: keratin-compile %s -o /dev/null --name=m --shard=length --header=- | FileCheck %s --check-prefix=WHOLE
// RUN: keratin-dump %s --shard=length --stage=plan | FileCheck %s --check-prefix=PLAN
// RUN: keratin-compile %s --shard=length -o %t.so --name=m && %{exits} 1 keratin-run %t.so --random --shard=length 2>&1 | FileCheck %s --check-prefix=OBJECT
// RUN: %{exits} 1 keratin-run %t.so --random --gather-parts 2>&1 | FileCheck %s --check-prefix=OBJECT-PARTS
// OBJECT-PARTS: keratin-run: error: --gather-parts goes with a model, not a shared object: keratin-compile --gather-parts
// RUN: %{exits} 1 keratin-compile %s -o /dev/null --name=m --gather-parts 2>&1 | FileCheck %s --check-prefix=NO-PARTS
// NO-PARTS: keratin-compile: error: --gather-parts: no size is sharded; needed --shard
// PLAN: keratin.all_reduce sum
// OBJECT: keratin-run: error: --shard goes with a model, not a shared object: keratin-compile --shard
// JOINS: struct keratin_comm_t;
// JOINS: keratin_status_code_t shards_state_join(shards_state_t *state, struct keratin_comm_t *engine, keratin_status_t *status);
// JOINS: keratin_status_code_t shards_state_ranks(const shards_state_t *state, int32_t *rank, int32_t *ranks, keratin_status_t *status);
// JOINS: keratin_status_code_t shards_state_leave(shards_state_t *state, keratin_status_t *status);
// ALONE-NOT: join
// Each rank has its own rows: nothing is summed up over them.
// PARTS-NOT: join
// WHOLE: m_state_join
// Along an axis of a mesh, which the header and the metadata name.
// RUN: keratin-compile %s -o /dev/null --name=m --shard=length:data --header=- | FileCheck %s --check-prefix=MESH
// MESH: They are arranged in a mesh with the axis data, "data:2,model:2" say.
// MESH-NEXT: keratin_status_code_t m_state_join(m_state_t *state, struct keratin_comm_t *engine, const char *mesh, keratin_status_t *status);
// RUN: keratin-compile %s -o /dev/null --name=m --shard=length:data --metadata=- | FileCheck %s --check-prefix=AXES
// AXES:       "collectives": 1,
// AXES-NEXT:  "mesh_axes": [
// AXES-NEXT:   "data"
// AXES-NEXT:  ],
// RUN: %{exits} 1 keratin-compile %s -o /dev/null --name=m --shard=length: 2>&1 | FileCheck %s --check-prefix=NO-AXIS
// NO-AXIS: keratin-compile: error: --shard: 'length:' names no axis; needed one, as batch:data
// What the metadata says of it.
// RUN: keratin-compile %s -o /dev/null --name=m --shard=rows --metadata=- | FileCheck %s --check-prefix=OWN
// RUN: keratin-compile %s -o /dev/null --name=m --shard=length --metadata=- | FileCheck %s --check-prefix=SUMS
// RUN: keratin-compile %s -o /dev/null --name=m --metadata=- | FileCheck %s --check-prefix=NONE
// OWN:        "c_name": "x",
// OWN:         "sharded_dimension": 0
// OWN:        "c_name": "y",
// OWN:         "sharded_dimension": 0
// OWN:        "sharded": [
// OWN-NEXT:    "rows"
// OWN-NEXT:   ],
// OWN-NEXT:   "collectives": 0,
// SUMS:       "c_name": "x",
// SUMS:        "sharded_dimension": 1
// SUMS-NOT:    sharded_dimension
// SUMS:       "sharded": [
// SUMS-NEXT:   "length"
// SUMS-NEXT:  ],
// SUMS-NEXT:  "collectives": 1,
// NONE-NOT:   sharded
// NONE-NOT:   collectives
func.func @f(%x: tensor<?x?xf32, #keratin.dims<d0, d1>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.sizes = ["rows", "length"]} {
  %y = keratin.reduce_sum %x axes = [1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %y : tensor<?xf32, #keratin.dims<d0>>
}
