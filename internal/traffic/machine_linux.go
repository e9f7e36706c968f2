package traffic

// newMachine opens the kernel's files. Those below /proc/net are of the network namespace of the calling thread.
func newMachine(device string, hz int) *machine {
	return machineAt("/proc/stat", "/proc/thread-self/net/softnet_stat", "/proc/thread-self/net/dev", device, hz)
}
