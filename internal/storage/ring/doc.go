// Package ring is the part of Linux's io_uring that a measurement needs: one ring a thread, with a registered file and
// registered buffers, submissions in batches, and bounded waits. It makes the system calls itself.
//
// A wait keeps the CPU slot (P) of its goroutine, because releasing it and getting it back costs more than most
// requests: up to half of the CPU time at 4 KiB. So that others do not wait for it, a wait is limited in time, and ends
// when the runtime sends its signal, which is how the garbage collector stops the world. Use more slots (GOMAXPROCS)
// than rings.
//
// Formats: linux/io_uring.h; io_uring_setup(2), io_uring_enter(2), io_uring_register(2).
package ring
