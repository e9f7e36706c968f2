/* The MPI library, opened at run time: of the installation whose mpirun is on the PATH, else where the system looks for libraries. */
#define _GNU_SOURCE
#include "mpi.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* prefix is the folder above the one with the real mpirun; 0: there is none. */
static int prefix(char to[PATH_MAX])
{
	const char *path = getenv("PATH");
	char one[PATH_MAX];
	while (path && *path) {
		int n = (int)strcspn(path, ":");
		if (n && n < PATH_MAX - 16) {
			snprintf(one, sizeof one, "%.*s/mpirun", n, path);
			if (!access(one, X_OK) && realpath(one, to)) {
				for (int up = 0; up < 2; up++) {
					char *slash = strrchr(to, '/');
					if (slash)
						*slash = 0;
				}
				return 1;
			}
		}
		path += n + (path[n] == ':');
	}
	return 0;
}

static void *opened(const struct mpi *m, const char *name, int everywhere, char file[TEXT], char why[TEXT])
{
	/* Open MPI's plugins look for symbols of the library that opened them. */
	void *library = dlopen(name, RTLD_NOW | (everywhere ? RTLD_GLOBAL : RTLD_LOCAL));
	const char *text = library ? m->bind(library) : dlerror();
	if (library && !text) {
		snprintf(file, TEXT, "%s", name);
		return library;
	}
	size_t n = strlen(why);
	snprintf(why + n, TEXT - n, "%s%s%s", n ? "; " : "", library ? name : "", library ? " lacks " : "");
	n = strlen(why);
	snprintf(why + n, TEXT - n, "%s", text ? text : name);
	return NULL;
}

void *open_library(const struct mpi *m, int everywhere, char file[TEXT], char why[TEXT])
{
	char at[PATH_MAX], name[PATH_MAX + 64];
	void *library;
	*why = 0;
	if (prefix(at))
		for (int i = 0; m->files[i]; i++)
			for (int k = 0; k < 2; k++) {
				snprintf(name, sizeof name, "%s/%s/%s", at, k ? "lib64" : "lib", m->files[i]);
				if (!access(name, R_OK) && (library = opened(m, name, everywhere, file, why)))
					return library;
			}
	for (int i = 0; m->files[i]; i++)
		if ((library = opened(m, m->files[i], everywhere, file, why)))
			return library;
	return NULL;
}
