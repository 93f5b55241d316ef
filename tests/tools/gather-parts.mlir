// Ops of a sharded function that need all parts, where the command line lets them have them.
// RUN: %{exits} 1 keratin-dump %s --shard=rows --stage=grad 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: keratin-dump %s --shard=rows --gather-parts --stage=grad | FileCheck %s --check-prefix=PARTS
// RUN: keratin-run %s --shard=rows --gather-parts --random --check
// RUN: keratin-compile %s --shard=rows --gather-parts -o /dev/null --name=m --header=- | FileCheck %s --check-prefix=JOINS
// REFUSED: cumsum along 'rows', of which each rank has a part; needed gather_parts
// PARTS: keratin.all_gather
// JOINS: m_state_join
func.func @f(%x: tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?x2xf32, #keratin.dims<d0, 2>> {keratin.kind = "output", keratin.name = "y"})
    attributes {keratin.sizes = ["rows"]} {
  %y = keratin.cumsum %x {axis = 0 : i64} : (tensor<?x2xf32, #keratin.dims<d0, 2>>) -> tensor<?x2xf32, #keratin.dims<d0, 2>>
  return %y : tensor<?x2xf32, #keratin.dims<d0, 2>>
}
