package facts

// readLinuxLog reads the kernel's log of Linux.
func readLinuxLog(*Facts, []byte) error { return nil }
