// The host program: what the host does in a call. Between the plan of memory and machine code.
#ifndef KERATIN_HOST
#define KERATIN_HOST

include "ir/dialect/KeratinBase.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::keratin::host";
  let summary = "what the host does in a call";
  let description = [{
    A planned function says what is computed and where it lies; a host program says in words who
    does it, in order: launches, copies, scalars that the host reads, sizes that it defines.
    Loops and branches are scf ops over places and 64-bit integers. It knows no target: what a
    launch becomes, how the work of a kernel is counted and shared, is for the lowering of a
    target. If the function's memories are in the space of a device, its places are, too, and the
    program says what goes to the host and back. docs/host-program.md explains the program of a
    training step.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::keratin::ir::KeratinDialect", "::mlir::arith::ArithDialect",
      "::mlir::scf::SCFDialect"];
}

def Host_Place : TypeDef<Host_Dialect, "Place"> {
  let mnemonic = "place";
  let summary = "the address of bytes, in the space of the memory that they belong to";
}

class Host_Op<string mnemonic, list<Trait> traits = []> : Op<Host_Dialect, mnemonic, traits>;

def Host_ProgramOp : Host_Op<"program", [IsolatedFromAbove, NoTerminator, NoRegionArguments,
    SingleBlock, HasParent<"::mlir::ModuleOp">]> {
  let summary = "what the host does in a call of a planned function";
  let description = [{
    Kernels, constants, arguments and results are those of the function, by their numbers:
    kernels and constants (outside of kernels) in the order in which they stand. Its memories
    are those of the function's plan.

    Each place is written before it is read, and each size has its value before something needs it.

    ```mlir
    host.program of @step {
      %x = host.argument 0
      %h = host.memory 0
      %at = host.at %h, <64>
      host.launch kernel 0 (%x) -> (%at) on 0
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`of` $function attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

//===-- Places --------------------------------------------------------------------------------===//

class Host_BaseOp<string mnemonic> : Host_Op<mnemonic, [Pure]> {
  let arguments = (ins I64Attr:$number);
  let results = (outs Host_Place:$place);
  let assemblyFormat = "$number attr-dict";
}

def Host_ArgumentOp : Host_BaseOp<"argument"> {
  let summary = "where an argument of the function lies: an input's elements, or a variable's own buffer";
}

def Host_ResultOp : Host_BaseOp<"result"> {
  let summary = "where a result of the function belongs: an output, or the new value of a variable "
      "that is not updated in place";
}

def Host_ConstantOp : Host_BaseOp<"constant"> {
  let summary = "where a constant lies";
}

def Host_MemoryOp : Host_Op<"memory"> {
  let summary = "where a memory of the plan begins";
  let description = [{
    A memory that waits for a size is there behind its definition. A tape may be elsewhere after
    each host.grow_tapes, so its beginning is asked for where it is used.
  }];
  let arguments = (ins I64Attr:$number);
  let results = (outs Host_Place:$place);
  let assemblyFormat = "$number attr-dict";
}

def Host_AtOp : Host_Op<"at", [Pure]> {
  let summary = "the place so many bytes behind another one";
  let arguments = (ins Host_Place:$base, Keratin_DimsAttr:$offset);
  let results = (outs Host_Place:$place);
  let assemblyFormat = "$base `,` $offset attr-dict";
}

def Host_ElementOp : Host_Op<"element", [Pure]> {
  let summary = "the place of an element of a sequence or a stack, each of which has so many bytes";
  let arguments = (ins Host_Place:$base, I64:$step, Keratin_DimsAttr:$bytes);
  let results = (outs Host_Place:$place);
  let assemblyFormat = "$base `[` $step `]` `,` $bytes attr-dict";
}

def Host_DiffersOp : Host_Op<"differs", [Pure]> {
  let summary = "whether two places are different ones";
  let arguments = (ins Host_Place:$a, Host_Place:$b);
  let results = (outs I1:$result);
  let assemblyFormat = "$a `,` $b attr-dict";
}

//===-- Work ----------------------------------------------------------------------------------===//

class Host_WorkOp<string mnemonic, dag first, string format> : Host_Op<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = !con(first, (ins I64Attr:$kernel, Variadic<Host_Place>:$inputs,
      Variadic<Host_Place>:$outputs,
                                   OptionalAttr<Keratin_DimsAttr>:$after, I64Attr:$stream));
  let assemblyFormat = format # "`kernel` $kernel `(` $inputs `)` `->` `(` $outputs `)` (`after` "
      "$after^)? `on` $stream attr-dict";
}

def Host_LaunchOp : Host_WorkOp<"launch", (ins), ""> {
  let summary = "a kernel does its work";
  let description = [{
    Inputs and outputs are where the operands and results of the kernel lie. `after` names the
    sizes among those that the call computes of which it depends. What is launched on one stream
    is done in order. How many units the work has, how they are shared, and what else the
    kernel's function is given, the target knows that has compiled it.
  }];
}

def Host_CallOp : Host_WorkOp<"call", (ins StrAttr:$callee), "$callee "> {
  let summary = "the host does the work of a kernel itself, by a function of the runtime";
  let description = [{
    Of kernels that print, search or look at numbers: `host.call "print" kernel 3 (%x) -> (%y)
    on 0` waits for what was launched on the stream.
  }];
}

def Host_StartCollectiveOp : Host_WorkOp<"start_collective", (ins), ""> {
  let summary = "what all ranks of a job do together begins";
  let description = [{
    The kernel's inputs are sent, and its outputs received, beside what the host does next: until
    `host.wait_collective` nothing writes the former, and nothing reads or writes the latter. Both
    lie where the function works, on a device too.
  }];
}

def Host_WaitCollectiveOp : Host_Op<"wait_collective"> {
  let summary = "a collective is over, or the call has failed";
  let description = [{
    In the block that starts it. The first that has been started is waited for first.
  }];
  let arguments = (ins I64Attr:$kernel);
  let assemblyFormat = "`kernel` $kernel attr-dict";
}

def Host_CopyOp : Host_Op<"copy"> {
  let summary = "so many bytes are copied from one place to another";
  let arguments = (ins Host_Place:$from, Host_Place:$to, Keratin_DimsAttr:$bytes, I64Attr:$stream);
  let assemblyFormat = "$from `to` $to `,` $bytes `on` $stream attr-dict";
}

def Host_ReadOp : Host_Op<"read"> {
  let summary = "a scalar for the host: an i64, or an i1 whose byte is not zero";
  let arguments = (ins Host_Place:$place);
  let results = (outs AnyTypeOf<[I1, I64]>:$value);
  let assemblyFormat = "$place attr-dict `:` type($value)";
}

def Host_WriteOp : Host_Op<"write"> {
  let summary = "a number that the host knows, the number of a step or of steps, for kernels that read it";
  let arguments = (ins I64:$value, Host_Place:$place);
  let assemblyFormat = "$value `to` $place attr-dict";
}

//===-- Transfers -----------------------------------------------------------------------------===//

def Host_StagingOp : Host_Op<"staging"> {
  let summary = "memory of the host's for what goes to and from the memory of a device";
  let description = [{
    In programs whose memories are a device's: so many bytes, until the next `host.staging`. If
    there is no memory the call has failed (`host.sound`), and nothing may be done with the place;
    for a scalar there always is.
  }];
  let arguments = (ins Keratin_DimsAttr:$bytes);
  let results = (outs Host_Place:$place);
  let assemblyFormat = "$bytes attr-dict";
}

class Host_TransferOp<string mnemonic> : Host_Op<mnemonic> {
  let arguments = (ins Host_Place:$from, Host_Place:$to, Keratin_DimsAttr:$bytes, I64Attr:$stream);
  let assemblyFormat = "$from `to` $to `,` $bytes `on` $stream attr-dict";
}

def Host_FetchOp : Host_TransferOp<"fetch"> {
  let summary = "so many bytes go from the memory of the device to staged memory, when the stream "
                "has come so far";
}

def Host_SendOp : Host_TransferOp<"send"> {
  let summary = "so many bytes go from staged memory to the memory of the device";
}

//===-- Sizes ---------------------------------------------------------------------------------===//

def Host_SizeOp : Host_Op<"size"> {
  let summary = "the value of a size";
  let arguments = (ins Keratin_DimsAttr:$size);
  let results = (outs I64:$value);
  let assemblyFormat = "$size attr-dict";
}

def Host_DefineSizeOp : Host_Op<"define_size"> {
  let summary = "a size that the call computes has its value, and memory that waits for it is there";
  let description = [{
    False if the value is not allowed, or there is no memory: then the call has failed.
  }];
  let arguments = (ins I64Attr:$symbol, I64:$value);
  let results = (outs I1:$sound);
  let assemblyFormat = "$symbol `,` $value attr-dict";
}

def Host_GrowTapesOp : Host_Op<"grow_tapes"> {
  let summary = "makes room for so many steps in the tapes of a loop whose steps a size counts";
  let description = [{
    Returns for how many there is room now: fewer than asked for if there is no memory, and then
    the call has failed.
  }];
  let arguments = (ins I64Attr:$symbol, I64:$steps);
  let results = (outs I64:$room);
  let assemblyFormat = "$symbol `,` $steps attr-dict";
}

//===-- Control -------------------------------------------------------------------------------===//

def Host_LoopOp : Host_Op<"loop", [NoTerminator, NoRegionArguments, SingleBlock]> {
  let summary = "a loop of the graph: its steps, and what is done once before and after them";
  let description = [{
    A target may make a function of the outermost ones, in which all that is the same in each
    step is done before the first.

    A resident loop, in a program whose memories are a device's, needs nothing of the host: the
    device may do all of it in one launch. What it reads (conditions) and writes (numbers of steps)
    is in the memory of the device. `host.sound`, and conditions, have one answer for the whole
    device: when all that stands before is done, and nothing that stands behind has begun.
  }];
  let arguments = (ins UnitAttr:$resident);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`resident` $resident^)? attr-dict-with-keyword $body";
}

def Host_CheckOp : Host_Op<"check", [HasParent<"::keratin::host::ProgramOp">]> {
  let summary = "ends the call if something has failed";
  let description = [{
    Stands before what must not happen then: a variable is written in place, or a size defined
    of what may mean nothing.
  }];
  let assemblyFormat = "attr-dict";
}

def Host_EndUnlessOp : Host_Op<"end_unless", [HasParent<"::keratin::host::ProgramOp">]> {
  let summary = "ends the call unless the condition holds";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def Host_MustPrepareOp : Host_Op<"must_prepare"> {
  let summary = "whether the call does what is prepared: a variable has been written since the last "
                "that did";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Host_SoundOp : Host_Op<"sound"> {
  let summary = "whether nothing has failed so far";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

#endif // KERATIN_HOST
