// Attributes in which a plan of memory is written down. What they are put on and what they mean
// together: ir/dialect/MemoryPlan.h.
#ifndef KERATIN_PLAN_ATTRIBUTES
#define KERATIN_PLAN_ATTRIBUTES

include "ir/dialect/KeratinBase.td"

def Keratin_PlaceAttr : AttrDef<Keratin_Dialect, "Place"> {
  let mnemonic = "place";
  let summary = "where a value lies while the function runs";
  let description = [{
    One of these, of which the last two are for states of a loop:

    ```
    #keratin.place<arena, 64*d0>       64*d0 bytes behind the beginning of memory 0, which the
                                       call has from its start
    #keratin.place<memory 1, 64*d5>    the same in another memory of the function
    #keratin.place<returned 2>         where operand 2 of the terminator of the block belongs: in
                                       the function the buffer of its result 2; in a loop's body
                                       the place of the next state, or of the step's element of a
                                       stack; in a branch that of the result
    #keratin.place<variable 0>         the own buffer of a variable of the function, which is updated in place
    #keratin.place<nowhere>            nobody reads the value, and nobody writes it
    #keratin.place<result>             where the loop's result lies
    #keratin.place<stack 1>            in the loop's stack 1, where a step has last written it
    ```

    `over 0` behind it, as in `#keratin.place<arena, 0, over 0>`: the value takes over the
    storage of the node's operand 0. The node must read an element of such an operand before it
    writes the result at the same index, and may not assume that the two are apart.
  }];
  let parameters = (ins "::keratin::ir::PlaceKind":$kind,
                        // of the memory, operand, variable or stack; else 0
                        "unsigned":$number,
                        "::keratin::ir::DimsAttr":$position,        // the offset in a memory; else nothing
                        "::std::optional<unsigned>":$over);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static PlaceAttr inMemory(::mlir::MLIRContext *context, unsigned memory,
        const ::keratin::ir::DimExpr &offset);
    // Of a kind that is not PlaceKind::Memory.
    static PlaceAttr of(::mlir::MLIRContext *context, ::keratin::ir::PlaceKind kind, unsigned number = 0);
    // The same place, taken over from an operand.
    PlaceAttr withOver(::std::optional<unsigned> operand) const;

    bool isInMemory() const { return getKind() == ::keratin::ir::PlaceKind::Memory; }
    bool isReturned() const { return getKind() == ::keratin::ir::PlaceKind::Returned; }
    bool isInVariable() const { return getKind() == ::keratin::ir::PlaceKind::Variable; }
    bool isNowhere() const { return getKind() == ::keratin::ir::PlaceKind::Nowhere; }
    bool isInResult() const { return getKind() == ::keratin::ir::PlaceKind::Result; }
    bool isInStack() const { return getKind() == ::keratin::ir::PlaceKind::Stack; }
    // Precondition: isInMemory().
    ::keratin::ir::DimExpr getOffset() const { return getPosition().getDims().front(); }
  }];
}

def Keratin_RoomAttr : AttrDef<Keratin_Dialect, "Room"> {
  let mnemonic = "room";
  let summary = "a part of the arena";
  let description = [{
    `#keratin.room<64*d0, at 128>`: so many bytes of the arena, from there on.
  }];
  let parameters = (ins "::keratin::ir::DimsAttr":$extent); // bytes, offset
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static RoomAttr get(::mlir::MLIRContext *context, const ::keratin::ir::DimExpr &bytes,
        const ::keratin::ir::DimExpr &offset);
    ::keratin::ir::DimExpr getBytes() const { return getExtent().getDims()[0]; }
    ::keratin::ir::DimExpr getOffset() const { return getExtent().getDims()[1]; }
  }];
}

def Keratin_MemoryAttr : AttrDef<Keratin_Dialect, "Memory"> {
  let mnemonic = "memory";
  let summary = "memory that a call asks for";
  let description = [{
    ```
    #keratin.memory<host, 128*d0>              so many bytes when the call begins
    #keratin.memory<host, 64*d5, after d5>     when the size d5, which the call computes, has its value
    #keratin.memory<host, 4*d1, step of d5>    a tape: so many bytes for each step of the loop
                                               that has d5 of them, asked for as they come
    ```

    The first word is the space that it is in: `host`, which the host's code reads and writes, or `device`, which only kernels do and transfers.
    All memories of a plan are in one space, and so are the arguments, results and constants of the function.
  }];
  let parameters = (ins "::keratin::ir::MemorySpace":$space,
                        "::keratin::ir::DimsAttr":$extent,         // the bytes
                        "::keratin::ir::MemoryTime":$time,
                        "int64_t":$symbol);                        // of the size that it waits for; else 0
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static MemoryAttr get(::mlir::MLIRContext *context, ::keratin::ir::MemorySpace space,
        const ::keratin::ir::DimExpr &bytes,
                          ::keratin::ir::MemoryTime time = ::keratin::ir::MemoryTime::Call,
                              int64_t symbol = 0);
    // Of a tape, those of one step.
    ::keratin::ir::DimExpr getBytes() const { return getExtent().getDims().front(); }
    bool isTape() const { return getTime() == ::keratin::ir::MemoryTime::Steps; }
    bool waits() const { return getTime() != ::keratin::ir::MemoryTime::Call; }
  }];
}

#endif // KERATIN_PLAN_ATTRIBUTES
