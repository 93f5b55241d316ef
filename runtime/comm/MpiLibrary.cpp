#include "runtime/comm/MpiLibrary.h"

#include <stdlib.h>
#include <string.h>

namespace keratin::comm {

using runtime::fail;

Code MpiLibrary::check(int result, const char *function, keratin_status_t *status) const {
  if (result == 0)
    return KERATIN_OK;
  char text[1024] = ""; // MPI_MAX_ERROR_STRING is 256 and 512
  int length = 0;
  if (MPI_Error_string(result, text, &length) != 0 || !text[0])
    return fail(status, KERATIN_UNAVAILABLE, "%s: %s failed: error %d", name, function, result);
  return fail(status, KERATIN_UNAVAILABLE, "%s: %s failed: %s", name, function, text);
}

Code MpiLibrary::describe(MpiHandle comm, int &rank, int &size, keratin_status_t *status) const {
  if (Code code =
          check(MPI_Comm_set_errhandler(comm, errorsReturn), "MPI_Comm_set_errhandler", status))
    return code;
  if (Code code = check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", status))
    return code;
  return check(MPI_Comm_size(comm, &size), "MPI_Comm_size", status);
}

// What a library says of itself; "" where it says nothing.
struct Described {
  explicit Described(void *library) {
    auto describe =
        reinterpret_cast<int (*)(char *, int *)>(dlsym(library, "MPI_Get_library_version"));
    int length = 0;
    if (!describe || describe(text, &length) != 0)
      text[0] = '\0';
  }
  bool has(const char *word) const { return strstr(text, word); }

  char text[9000] = ""; // MPI_MAX_LIBRARY_VERSION_STRING is 256 and 8192
};

// The ABI that MPI 5.0 has written down. A library that has the function and another ABI says -1.
static bool hasStandardAbi(void *library) {
  auto versionOf = reinterpret_cast<int (*)(int *, int *)>(dlsym(library, "MPI_Abi_get_version"));
  int major = -1, minor = -1;
  return versionOf && versionOf(&major, &minor) == 0 && major == 1;
}

// Constants of each mpi.h, which comm_launchers tries out.
static Code recogniseAbi(void *library, const char *path, MpiLibrary &mpi,
                         keratin_status_t *status) {
  const Described described(library);
  // MPICH, and those who have agreed on its ABI.
  const bool isKin =
      described.has("MPICH") || described.has("Intel(R) MPI") || described.has("MVAPICH");
  if (hasStandardAbi(library)) {
    mpi.name = isKin ? "MPICH" : described.has("Open MPI") ? "Open MPI" : "MPI";
    mpi.world = 0x101;
    mpi.byte = 0x247;
    mpi.errorsReturn = 0x143;
    mpi.ignoredStatus = nullptr;
    mpi.threadSerialized = 2048;
    return KERATIN_OK;
  }
  mpi.threadSerialized = 2;
  if (void *world = dlsym(library, "ompi_mpi_comm_world")) {
    mpi.name = "Open MPI";
    mpi.world = MpiHandle(world);
    mpi.byte = MpiHandle(dlsym(library, "ompi_mpi_byte"));
    mpi.errorsReturn = MpiHandle(dlsym(library, "ompi_mpi_errors_return"));
    mpi.ignoredStatus = nullptr;
    mpi.hasRecovery = !mpi.recovery.resolve(library);
    if (mpi.byte && mpi.errorsReturn)
      return KERATIN_OK;
  }
  if (!isKin)
    return fail(status, KERATIN_UNIMPLEMENTED,
                "MPI: '%s' (%.60s) is neither Open MPI nor of MPICH's kin, and has not the ABI of "
                "MPI 5; not implemented: other ABIs",
                path, described.text);
  mpi.name = "MPICH";
  mpi.world = 0x44000000;
  mpi.byte = 0x4c00010d;
  mpi.errorsReturn = 0x54000001;
  mpi.ignoredStatus = reinterpret_cast<void *>(1);
  return KERATIN_OK;
}

// Global, since components that an MPI opens later look for its functions there.
static void *openFirst(const char *const *paths, const char **path) {
  for (; *paths; ++paths) {
    *path = *paths;
    if (void *library = dlopen(*paths, RTLD_NOW | RTLD_GLOBAL))
      return library;
  }
  return nullptr;
}

static void *openLibrary(const char **path, keratin_status_t *status) {
  const char *named = getenv("KERATIN_MPI_LIBRARY");
  if (named && *named) {
    *path = named;
    void *library = dlopen(named, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
      fail(status, KERATIN_FAILED_PRECONDITION,
           "MPI: the library that KERATIN_MPI_LIBRARY names cannot be opened: %s", dlerror());
    return library;
  }
  if (dlsym(RTLD_DEFAULT, "MPI_Init_thread")) {
    *path = "the program's own";
    return dlopen(nullptr, RTLD_NOW);
  }
  // The one whose launcher has started the process.
  static const char *const openMpi[] = {"libmpi.so.40", "libmpi.so.80", nullptr};
  static const char *const mpich[] = {"libmpich.so.12", "libmpi.so.12", nullptr};
  // Of whatever MPI: names by its versions, and what MPICH 5 has besides.
  static const char *const standard[] = {"libmpi_abi.so.1", "libmpi_abi.so.0", nullptr};
  bool isMpich = !getenv("OMPI_COMM_WORLD_SIZE") && getenv("PMI_SIZE");
  void *library = openFirst(isMpich ? mpich : openMpi, path);
  if (!library)
    library = openFirst(isMpich ? openMpi : mpich, path);
  if (!library)
    library = openFirst(standard, path);
  if (!library)
    fail(status, KERATIN_FAILED_PRECONDITION,
         "MPI: neither Open MPI (libmpi.so.40) nor MPICH (libmpich.so.12) nor one of the standard "
         "ABI (libmpi_abi.so.1) can be opened (%s); needed is one of them, or a library that "
         "KERATIN_MPI_LIBRARY names",
         dlerror());
  return library;
}

Code MpiLibrary::open(keratin_status_t *status) {
  const char *path = "";
  void *library = openLibrary(&path, status);
  if (!library)
    return KERATIN_FAILED_PRECONDITION;
  if (const char *missing = resolve(library))
    return fail(status, KERATIN_FAILED_PRECONDITION, "MPI: '%s' has no function %s", path, missing);
  return recogniseAbi(library, path, *this, status);
}

static constinit NamedLibrary<MpiLibrary> theLibrary{};

Code findMpi(const MpiLibrary **library, keratin_status_t *status) {
  return theLibrary.find(library, status);
}

} // namespace keratin::comm
