package traffic

// checkFiles has nothing to hold: Windows has no limit of open sockets of a process.
func checkFiles(int) error { return nil }
