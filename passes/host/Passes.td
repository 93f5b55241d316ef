// Passes of passes/host.
#ifndef KERATIN_HOST_PASSES
#define KERATIN_HOST_PASSES

include "mlir/Pass/PassBase.td"

def BuildHostProgram : Pass<"keratin-build-host-program", "::mlir::ModuleOp"> {
  let summary = "say what the host does in a call of each planned function";
  let description = [{
    Behind each function with a plan of memory (keratin-plan-memory) comes its host program:
    launches of its kernels with the places of what they read and write, copies, scalars that
    the host reads, definitions of sizes, and loops and branches around them. It knows no target,
    but where a plan's memories are: of functions that work in the memory of a device
    (keratin-plan-memory, `space=device`), what the host reads is fetched into staged memory first,
    what it writes is sent from there, and what it does itself (`host.call`) it does with copies:
    of all that the kernel reads, and back of what something reads. Loops that need nothing of the
    host, and whose kernels have at most `resident-work` elementary operations on average, are
    resident: the device does them by itself, with conditions and numbers of steps in its own
    memory. An unknown size counts as 32. Inputs, outputs and variables
    are whoever's business it is that calls the function.

    ```mlir
    func.func @f(%x: tensor<8xf32>)
        -> tensor<8xf32> attributes {keratin.memories = [#keratin.memory<host, 64>]} {
      %h = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} …
      %y = keratin.kernel (%h) {keratin.places = [#keratin.place<returned 0>]} …
      return %y
    }
    // gets
    host.program of @f {
      %0 = host.argument 0
      %1 = host.memory 0
      %2 = host.at %1, <0>
      host.launch kernel 0 (%0) -> (%2) on 0
      %3 = host.result 0
      host.launch kernel 1 (%2) -> (%3) on 0
    }
    ```

    ```mlir
    %n = host.read %p : i64
    host.call "print" kernel 3 (%x) -> (%y) on 0
    // on a device
    %s = host.staging <8>
    host.fetch %p to %s, <8> on 0
    %n = host.read %s : i64
    %t = host.staging <128>
    %sound = host.sound
    scf.if %sound {
      host.fetch %x to %t, <32> on 0
      %u = host.at %t, <64>
      host.call "print" kernel 3 (%t) -> (%u) on 0
      host.send %u to %y, <32> on 0
    }
    ```
  }];
  let dependentDialects = ["::keratin::host::HostDialect", "::mlir::scf::SCFDialect",
      "::mlir::arith::ArithDialect"];
  let options = [
    Option<"residentWork", "resident-work", "int64_t", /*default=*/"0",
        "elementary operations of a kernel of a resident loop, on average; 0: no loop is resident">,
  ];
}

#endif // KERATIN_HOST_PASSES
