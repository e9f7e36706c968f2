/* MPICH 3.1 and later, and what has its ABI (Intel MPI, MVAPICH): handles are numbers that never change. Source: mpi.h of MPICH 4.0,
 * https://www.mpich.org/abi/. A library of that name that is Open MPI's (1.10 was libmpi.so.12) is refused. */
#define _GNU_SOURCE
typedef int handle;
typedef int request;
#define NAME mpich
#define KIND "mpich"
#define FILES {"libmpi.so.12", "libmpich.so.12", NULL}
#define IGNORE ((void *)1)
#define IGNORE_ALL ((void *)1)
#define CONSTANTS \
	world = 0x44000000, byte = 0x4c00010d, errors_return = 0x54000001; \
	if (!lacks && dlsym(library, "ompi_mpi_comm_world")) lacks = "MPICH's ABI: it is Open MPI's";
#include "abi.h"
