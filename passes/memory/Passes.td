// Passes of passes/memory; included by passes/Passes.td.
def ScheduleKernels : KeratinPass<"schedule"> {
  let summary = "order kernels so that few bytes are alive at once";
  let description = [{
    The function holds kernels, loops, branches, views (keratin.reshape, and keratin.slice of
    neighbouring rows), constants and its return; a loop's body and a branch hold the same, and
    are ordered each by itself. Kernels are put in the better of two greedy orders, or left as
    they are if that is no worse: always the step that frees most bytes. Sizes are compared with
    32 for every symbol. Kernels with `keratin.effect` keep their order. A kernel that can write
    its variable's own buffer comes after all that read the old value and after all that can
    fail (`keratin.fallible`). Constants go to the front, views behind what they view. Function
    results that share storage get a copying kernel (see keratin-plan-memory). In a loop's body,
    a kernel that can write a state's next value over it comes after all that read the state.

    What all ranks of a job do together (collectives) goes on beside kernels, so there bytes come
    second: what the first needs is in front, and what needs its result behind all that does
    not.

    ```mlir
    %big1 = keratin.kernel (%x) …    %s1 = keratin.kernel (%big1) …     // two big buffers at once
    %big2 = keratin.kernel (%x) …    %s2 = keratin.kernel (%big2) …
    // becomes: %big1, %s1, %big2, %s2
    ```
  }];
}

def PackWeights : KeratinPass<"pack-weights"> {
  let summary = "weights that calls would pack for the tiles of a product are packed once";
  let description = [{
    Of a contraction's second factor, or a convolution's filter, that depends on variables which the
    function does not update, and on constants, alone, calls would pack the same panels again and
    again. They become values of the graph, which the kernel gets besides
    (ir/interfaces/WeightPanels.h), and keratin-prepare sees to it that they are made once. How many
    columns a panel has, if any, the target says; without one `columns` does. The last panel is filled
    up with zeros. Loops whose steps multiply by such weights capture the panels, too.

    ```mlir
    %y = keratin.kernel(%x, %w) …                                        // w: 64x32
    // becomes
    %0 = keratin.reshape %w : (tensor<64x32xf32>) -> tensor<64x2x16xf32>
    %1 = keratin.kernel(%0) {transpose} …                                // 2x64x16
    %y = keratin.kernel(%x, %w, %1) {keratin.panels} …
    ```
  }];
  let options = [
    Option<"columns", "columns", "int64_t", "0", "of a panel; 0: there are none">
  ];
}

def PrepareKernels : KeratinPass<"prepare"> {
  let summary = "what depends on variables that the function does not update is not made in each call";
  let description = [{
    Kernels (loops, branches) that depend on such variables and constants alone become *prepared*, and
    come before all others: a call does them if one of the variables has been written since
    the last call that did, and what others read of them lies in memory that is the function's
    (keratin-plan-memory). So weights are transposed, cast or normalised once. Kernels that can fail or be
    seen from outside, whose sizes are of the call, that only repeat elements, or whose results the
    function returns are not prepared.

    ```mlir
    %s = keratin.kernel(%x) …
    %t = keratin.kernel(%w) {transpose}     // %w is a variable
    %y = keratin.kernel(%s, %t) …
    // becomes
    %t = keratin.kernel(%w) {keratin.prepared} {transpose}
    %s = keratin.kernel(%x) …
    %y = keratin.kernel(%s, %t) …
    ```
  }];
}

def PlanMemory : KeratinPass<"plan-memory"> {
  let summary = "decide where each result of a kernel lives";
  let description = [{
    Kernels run in the order in which they stand. Each result gets a place in the arena (an
    offset as an expression over symbols) or the buffer of the function result that it is. The
    attributes are listed in ir/dialect/MemoryPlan.h.

    What a collective sends and receives is live until it is waited for: before the first node that
    needs its result, or that has one inside, or at the end of the block.

    In place: an update is written into the variable's own buffer if its kernel reads the old
    value element by element or not at all, all others have read it before, and nothing can fail
    from there on. A result takes the storage of an operand that dies there if the kernel is
    elementwise in it.

    Where a kernel does nothing but put values of other kernels one behind the other, these make
    them there, and it is not launched (`keratin.joined`), unless an output is among them, or a
    message sends the whole and somebody reads a part. Kernels read rows of what a message brings
    where they are.

    Outputs never share storage with inputs, variables or each other: a function result that is
    an argument, a constant, a view of one, a part of a value, or is returned twice, is copied by a
    kernel.

    Loops: what the steps need for themselves is an arena within the arena, live while the loop
    runs. A state lives where the loop's result does if the body changes it in place (like a
    variable), in its stack if the same value is stacked, and else in that place and a second
    buffer in turn. The branches of an if share one arena.

    What others read of a prepared node (keratin-prepare) lies in a memory of its own, as long as
    the function does.

    What depends on a computed size without bound has an arena of its own, laid out alike, which
    the call asks for when the size is defined. The stacks of a loop whose number of steps is
    such a size are tapes: memories of their own that grow while it runs.

    ```mlir
    %h = keratin.kernel (%x) : (tensor<8xf32>) -> tensor<8xf32> {…}
    %y = keratin.kernel (%h) : (tensor<8xf32>) -> tensor<8xf32> {…}
    return %y
    // becomes
    func.func @f(…) attributes {keratin.memories = [#keratin.memory<host, 64>]}
    %h = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} …
    %y = keratin.kernel (%h) {keratin.places = [#keratin.place<returned 0>]} …
    ```
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", "64", "bytes on a multiple of which buffers begin; a power of two">,
    Option<"space", "space", "std::string", "\"host\"", "that kernels work in: host, or device where the host's code cannot read it">
  ];
}
