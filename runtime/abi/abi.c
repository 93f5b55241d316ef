#include "runtime/abi/keratin_object_abi.h"
