//go:build !linux

package copies

// toolThreads is empty: only Linux shows the threads of a process.
func toolThreads() []Thread { return nil }

// handlesRefused is a reason: only Linux opens files by their handles.
func handlesRefused(string) string { return "are Linux's" }
