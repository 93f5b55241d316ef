// Functions of MLIR and Protocol Buffers, of a library that offers them to the whole process and
// has them otherwise, as TensorFlow does: nothing of ours may call these.
#include <stdlib.h>

#define SHADOW(name)                                                                               \
  void name(void);                                                                                 \
  void name(void) { abort(); }

SHADOW(_ZN4mlir11MLIRContextC1ENS0_9ThreadingE)
SHADOW(_ZN4mlir11MLIRContextC1ERKNS_15DialectRegistryENS0_9ThreadingE)
SHADOW(_ZN6google8protobuf11MessageLite13MergeFromImplEPNS0_2io16CodedInputStreamENS1_10ParseFlagsE)
