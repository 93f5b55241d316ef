#include "runtime/abi/keratin_abi.h"
