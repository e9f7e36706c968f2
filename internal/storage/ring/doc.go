// Package ring is the part of Linux's io_uring that a measurement needs: one ring a thread, with a registered file and registered
// buffers, submissions in batches, and waits that are bounded. It makes the system calls itself.
//
// A wait holds the processor slot (P) of its goroutine, because handing it over and getting it back costs more than most requests:
// up to a half of the processor time at 4 KiB. So that nobody waits for it, a wait is cut off after a time, and it also ends when the
// runtime sends its signal, which is how the collector of garbage stops the world. Whoever uses rings makes sure that there are more
// slots (GOMAXPROCS) than rings.
//
// Formats: linux/io_uring.h; io_uring_setup(2), io_uring_enter(2), io_uring_register(2).
package ring
