#include "tools/support/Tool.h"

#include "compiler/driver/Attempt.h"
#include "tools/support/OutputFile.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

