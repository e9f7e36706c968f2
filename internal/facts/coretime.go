package facts

// ParseStat reads the time of each core from the text of /proc/stat, for who compares two readings of it.
func ParseStat(text []byte) ([]CoreTime, error) { return parseStat(text) }

// ParseSoftnet reads the counters of each core from the text of /proc/net/softnet_stat, for who compares two readings of it.
func ParseSoftnet(text []byte) ([]SoftnetCPU, error) { return parseSoftnet(text) }

// Wrapped is the growth of a counter that is 32 bits wide in the kernel.
func Wrapped(before, after uint64) uint64 { return wrapped(before, after) }

// wrapped is the growth of a counter of 32 bits, or of a wider one that did not wrap.
func wrapped(before, after uint64) uint64 {
	if after >= before {
		return after - before
	}
	return uint64(uint32(after) - uint32(before))
}
