/* Open MPI 2 to 5: handles are the addresses of objects in the library. Source: mpi.h of Open MPI 4.1. */
#define _GNU_SOURCE
typedef void *handle;
typedef void *request;
#define NAME openmpi
#define KIND "openmpi"
#define FILES {"libmpi.so.40", "libmpi.so.20", NULL}
#define IGNORE NULL
#define IGNORE_ALL NULL
#define CONSTANTS \
	if (!(world = dlsym(library, "ompi_mpi_comm_world")) && !lacks) lacks = "ompi_mpi_comm_world"; \
	if (!(byte = dlsym(library, "ompi_mpi_byte")) && !lacks) lacks = "ompi_mpi_byte"; \
	if (!(errors_return = dlsym(library, "ompi_mpi_errors_return")) && !lacks) lacks = "ompi_mpi_errors_return";
#include "abi.h"
