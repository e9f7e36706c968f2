/* libibverbs and librdmacm, opened at run time. */
#define _GNU_SOURCE
#include "verbs.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct library lib;

/* find fills one field of lib; function pointers and object pointers are of one size on every system with dlsym. */
static int find(void *library, const char *name, void *field, const char **lacks)
{
	void *symbol = dlsym(library, name);
	memcpy(field, &symbol, sizeof symbol);
	if (!symbol && !*lacks)
		*lacks = name;
	return symbol != NULL;
}

static void *opened(const char *file, char why[300])
{
	void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
	const char *text = library ? NULL : dlerror();
	if (!library)
		snprintf(why, 300, "%s", text ? text : file);
	return library;
}

const char *load_ibverbs(void)
{
	static int loaded;
	static char why[300];
	const char *lacks = NULL;
	void *library = loaded ? NULL : opened("libibverbs.so.1", why);
	if (!library)
		return loaded ? NULL : why;
#define X(f) find(library, #f, &lib.f, &lacks);
	IBV_SYMBOLS(X)
	X(ibv_reg_mr)
	X(ibv_query_port)
#undef X
	if (lacks)
		snprintf(why, sizeof why, "libibverbs.so.1 is too old: it has no %s", lacks);
	loaded = !lacks;
	return loaded ? NULL : why;
}

const char *load_rdmacm(void)
{
	static int loaded;
	static char why[300];
	const char *lacks = NULL;
	void *library = loaded ? NULL : opened("librdmacm.so.1", why);
	if (!library)
		return loaded ? NULL : why;
#define X(f) find(library, #f, &lib.f, &lacks);
	RDMA_SYMBOLS(X)
#undef X
	if (lacks)
		snprintf(why, sizeof why, "librdmacm.so.1 is too old: it has no %s", lacks);
	loaded = !lacks;
	return loaded ? NULL : why;
}

/* The exported function fills the shorter structure of its first version; what follows stays zero. */
void query_port(struct ibv_context *c, int port, struct ibv_port_attr *a)
{
	memset(a, 0, sizeof *a);
	int e = lib.ibv_query_port(c, (uint8_t)port, (struct _compat_ibv_port_attr *)a);
	if (e)
		fail("open", -1, e, 0, "port %d of the device cannot be asked: %s; look at ibv_devinfo", port, strerror(e));
}
