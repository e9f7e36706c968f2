/* The calls of one ABI of MPI. Who includes this has said: handle and request, the types of its handles; NAME, KIND and FILES of its struct mpi;
 * IGNORE and IGNORE_ALL, which stand for no status; and CONSTANTS, which sets the handles world, byte and errors_return. */
#include "mpi.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static handle world, byte, errors_return;
static request requests[2 * SIDES];

#define SYMBOLS(X) \
	X(Get_library_version, (char *, int *)) X(Init, (int *, char ***)) X(Finalize, (void)) X(Abort, (handle, int)) \
	X(Comm_size, (handle, int *)) X(Comm_rank, (handle, int *)) X(Comm_set_errhandler, (handle, handle)) X(Error_string, (int, char *, int *)) \
	X(Send, (const void *, int, handle, int, int, handle)) X(Recv, (void *, int, handle, int, int, handle, void *)) X(Bcast, (void *, int, handle, int, handle)) \
	X(Isend, (const void *, int, handle, int, int, handle, request *)) X(Irecv, (void *, int, handle, int, int, handle, request *)) \
	X(Waitall, (int, request *, void *)) X(Sendrecv, (const void *, int, handle, int, int, void *, int, handle, int, int, handle, void *))

static struct {
#define X(f, arguments) int (*f) arguments;
	SYMBOLS(X)
#undef X
} call;

static const char *bind(void *library)
{
	const char *lacks = NULL;
	void *symbol;
	/* Function pointers and object pointers are of one size on every system with dlsym. */
#define X(f, arguments) \
	symbol = dlsym(library, "MPI_" #f); \
	memcpy(&call.f, &symbol, sizeof symbol); \
	lacks = lacks || symbol ? lacks : "MPI_" #f;
	SYMBOLS(X)
#undef X
	CONSTANTS
	return lacks;
}

static int version(char text[TEXT])
{
	int n = 0;
	memset(text, 0, TEXT);
	return call.Get_library_version(text, &n);
}

static int init(void)
{
	int e = call.Init(NULL, NULL);
	return e ? e : call.Comm_set_errhandler(world, errors_return);
}

static int size(int *n) { return call.Comm_size(world, n); }
static int rank(int *n) { return call.Comm_rank(world, n); }
static int finalize(void) { return call.Finalize(); }
static void abort_all(void) { call.Abort(world, 1); }

static void text_of(int code, char text[TEXT])
{
	int n = 0;
	memset(text, 0, TEXT);
	call.Error_string(code, text, &n);
}

static int send(const void *b, int bytes, int to, int tag) { return call.Send(b, bytes, byte, to, tag, world); }
static int receive(void *b, int bytes, int from, int tag) { return call.Recv(b, bytes, byte, from, tag, world, IGNORE); }
static int tell(void *b, int bytes) { return call.Bcast(b, bytes, byte, 0, world); }
static int begin_send(int slot, const void *b, int bytes, int to, int tag) { return call.Isend(b, bytes, byte, to, tag, world, &requests[slot]); }
static int begin_receive(int slot, void *b, int bytes, int from, int tag) { return call.Irecv(b, bytes, byte, from, tag, world, &requests[slot]); }
static int wait(int slots) { return call.Waitall(slots, requests, IGNORE_ALL); }

static int send_receive(const void *out, int to, int tag, void *in, int from, int other_tag, int bytes)
{
	return call.Sendrecv(out, bytes, byte, to, tag, in, bytes, byte, from, other_tag, world, IGNORE);
}

const struct mpi NAME = {KIND, FILES, bind, version, init, size, rank, finalize, abort_all, text_of, send, receive, tell, begin_send, begin_receive, wait, send_receive};
