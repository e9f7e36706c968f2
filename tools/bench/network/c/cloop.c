/* The engine's calls and nothing else: one thread a stream, blocking send and recv of one size.
 * With BUFFER and PAUSE the receiver works like the engine's receiver of small messages: it has a receive buffer of
 * BUFFER bytes, and sleeps PAUSE microseconds when nothing has arrived.
 *   cloop receive PORT SIZE STREAMS BUFFER PAUSE    until every stream has ended
 *   cloop send ADDRESS PORT SIZE STREAMS MILLISECONDS
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static size_t size;
static int buffer;
static struct timespec rest;
static long long until;

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void *receive(void *arg)
{
	int fd = (int)(long)arg;
	char *b = malloc(size);
	for (ssize_t n = 0;;) {
		int whole = n == (ssize_t)size;
		n = -1;
		if (rest.tv_nsec && whole && (n = recv(fd, b, size, MSG_DONTWAIT)) < 0)
			nanosleep(&rest, NULL);
		if (n < 0)
			n = recv(fd, b, size, 0);
		if (n <= 0)
			break;
		now(); /* the engine stamps every read */
	}
	close(fd);
	return NULL;
}

static void *transmit(void *arg)
{
	int fd = (int)(long)arg;
	char *b = malloc(size);
	for (size_t i = 0; i < size; i++)
		b[i] = (char)(i * 7);
	while (now() < until) {
		size_t done = 0;
		while (done < size) {
			ssize_t n = send(fd, b + done, size - done, 0);
			if (n <= 0) {
				perror("send");
				exit(1);
			}
			done += n;
		}
	}
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	int sending = argc > 1 && !strcmp(argv[1], "send");
	if (argc != 7) {
		fprintf(stderr, "usage: see the source\n");
		return 2;
	}
	char **a = argv + (sending ? 3 : 2);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(atoi(a[0]))};
	size = strtoul(a[1], NULL, 10);
	int n = atoi(a[2]), one = 1;
	pthread_t *t = calloc(n, sizeof *t);
	int l = socket(AF_INET, SOCK_STREAM, 0);
	if (sending) {
		inet_pton(AF_INET, argv[2], &at.sin_addr);
		until = now() + atoll(a[3]) * 1000000LL;
	} else {
		rest.tv_nsec = atol(a[4]) * 1000;
		setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		if (bind(l, (struct sockaddr *)&at, sizeof at) || listen(l, 64)) {
			perror("listen");
			return 1;
		}
	}
	for (int i = 0; i < n; i++) {
		int fd;
		if (sending) {
			fd = i ? socket(AF_INET, SOCK_STREAM, 0) : l;
			if (connect(fd, (struct sockaddr *)&at, sizeof at)) {
				perror("connect");
				return 1;
			}
		} else if ((fd = accept(l, NULL, NULL)) < 0) {
			perror("accept");
			return 1;
		}
		buffer = atoi(a[3]) / 2; /* the kernel doubles it */
		if (!sending && buffer)
			setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
		pthread_create(&t[i], NULL, sending ? transmit : receive, (void *)(long)fd);
	}
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
