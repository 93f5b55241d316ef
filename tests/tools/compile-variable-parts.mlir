// Variables in parts: what the header and the metadata of an object say of them, and what keeps a model from having any.
// RUN: keratin-compile %s --function=f -o /dev/null --name=m --header=- | FileCheck %s
// CHECK:      // Functions:
// CHECK-NEXT: //   f
// CHECK-NEXT: //     input 0   x: float32 (2, 3)
// CHECK-NEXT: //     output 0  y: float32 (2, model_part_of_4_value), in parts along dimension 1 among the ranks along model
// CHECK:      // Variables, by number:
// CHECK-NEXT: //   0  w: float32 (3, 4), in parts along dimension 1 among the ranks along model
// CHECK:      // They are arranged in a mesh with the axis model, "data:2,model:2" say.
// CHECK-NEXT: // From then on each rank has its part of the variables in parts, and no more.
// CHECK:      keratin_status_code_t m_state_join(m_state_t *state, struct keratin_comm_t *engine, const char *mesh, keratin_status_t *status);
// RUN: keratin-compile %s --function=f -o /dev/null --name=m --metadata=- | FileCheck %s --check-prefix=METADATA
// METADATA:      "c_name": "y",
// METADATA:      "sharded_dimension": 1,
// METADATA-NEXT: "sharded_axis": "model"
// METADATA:      "variables": [
// METADATA:        "bytes": 48,
// METADATA-NEXT:   "sharded_dimension": 1,
// METADATA-NEXT:   "sharded_axis": "model"
// METADATA-NEXT: }
// METADATA-NEXT: ]
// RUN: keratin-compile %s --function=f --mesh=data:3,model:2 -o /dev/null --name=m --header=- --metadata=%t.json | FileCheck %s --check-prefix=TWO
// TWO:      //     output 0  y: float32 (2, 2), in parts along dimension 1 among the ranks along model
// TWO:      //   0  w: float32 (3, 4), in parts along dimension 1 among the 2 ranks along model
// RUN: FileCheck %s --check-prefix=TWO-RANKS < %t.json
// TWO-RANKS: "sharded_ranks": 2
// What is uneven is for any number of ranks.
// RUN: keratin-compile %s --function=f --mesh=model:3 -o /dev/null --name=m --header=- | FileCheck %s
// RUN: keratin-dump %s --function=f --stage=grad | FileCheck %s --check-prefix=GRAPH
// GRAPH: tensor<3x?xf32, #keratin.dims<3, d1>> {keratin.kind = "variable", keratin.name = "w"}

// RUN: %{exits} 1 keratin-compile %s --function=f --mesh=rows:2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-AXIS
// NO-AXIS: keratin-compile: error: variable 'w' is in parts along its dimension 1 among the ranks along 'model'; the axes of the mesh are 'rows'
// RUN: %{exits} 2 keratin-compile %s --mesh=model -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-MESH
// NO-MESH: --mesh: found a mesh 'model'; needed names and numbers of ranks
// RUN: %{exits} 1 keratin-compile %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONFLICT
// CONFLICT: keratin-compile: error: variable 'w' is in parts along its dimension 1 among the ranks along 'model' for function 'f', and whole for function 'g'; needed the same for both
// RUN: %{exits} 1 keratin-compile %s --function=f --shard-states -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-SIZE
// NO-SIZE: keratin-compile: error: states are to be in parts, and no size is; needed one that is sharded

// RUN: %{exits} 2 keratin-compile %s --function=f --mesh=model:2,model:2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: --mesh: two axes are named 'model'

// A graph says of a function whether its states are in parts.
// RUN: keratin-compile %s --function=step -o /dev/null --name=m --header=- | FileCheck %s --check-prefix=STATES
// STATES: //   0  w: float32 (3, 4)
// STATES-NEXT: //   1  m: float32 (3, 4), in parts of its elements
// RUN: keratin-run %s --function=step --random --size=batch=2 --save-weights=%t.npz --quiet

// Heads are parted where each rank has whole ones, as of two ranks.
// RUN: keratin-compile %s --function=heads --mesh=model:2 -o /dev/null --header=- --name=m | FileCheck %s --check-prefix=HEADS
// HEADS: output 0  y: float32 (2, 1, 2), in parts along dimension 1 among the ranks along model
// RUN: %{exits} 1 keratin-compile %s --function=heads -o /dev/null 2>&1 | FileCheck %s --check-prefix=NO-HEADS
// NO-HEADS: not implemented: reshape of what has a part of variable 'w', whose parts are not known to be equal
// One rank has all there is, and keratin-run makes parts where it is told of a mesh.
// RUN: keratin-compile %s --function=heads --mesh=model:1 -o /dev/null --header=- --name=m | FileCheck %s --check-prefix=ONE
// ONE-NOT: in parts
// ONE-NOT: join
// RUN: keratin-run %s --function=heads --random | FileCheck %s --check-prefix=CALL
// RUN: keratin-run %s --function=heads --random --mesh=model:1 | FileCheck %s --check-prefix=CALL
// CALL: y: float32 (2, 2, 2)
func.func @f(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"},
             %w: tensor<3x4xf32> {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 1 : i64, keratin.mesh_axis = "model"})
    -> (tensor<2x4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

func.func @heads(%x: tensor<2x3xf32> {keratin.kind = "input", keratin.name = "x"},
                 %w: tensor<3x4xf32> {keratin.kind = "variable", keratin.name = "w", keratin.sharded = 1 : i64, keratin.mesh_axis = "model"})
    -> (tensor<2x2x2xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.dot_general %x, %w batch = [] x [] contract = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %y = keratin.reshape %0 : (tensor<2x4xf32>) -> tensor<2x2x2xf32>
  return %y : tensor<2x2x2xf32>
}

func.func @g(%w: tensor<3x4xf32> {keratin.kind = "variable", keratin.name = "w"})
    -> (tensor<3x4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %y = keratin.tanh %w : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

func.func @step(%x: tensor<?x4xf32, #keratin.dims<d0, 4>> {keratin.kind = "input", keratin.name = "x", keratin.sharded = 0 : i64},
                %w: tensor<3x4xf32> {keratin.kind = "variable", keratin.name = "w"},
                %m: tensor<3x4xf32> {keratin.kind = "variable", keratin.name = "m"})
    -> (tensor<3x4xf32> {keratin.kind = "update", keratin.variable = 0 : i64}, tensor<3x4xf32> {keratin.kind = "update", keratin.variable = 1 : i64})
    attributes {keratin.shards_states, keratin.sizes = ["batch"]} {
  %s = keratin.reduce_sum %x axes = [0] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<4xf32>
  %g = keratin.broadcast %s dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %n = keratin.add %m, %g : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %v = keratin.sub %w, %n : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %v, %n : tensor<3x4xf32>, tensor<3x4xf32>
}
