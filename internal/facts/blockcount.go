package facts

// ParseDiskstats reads /proc/diskstats, for what is read while something is measured.
func ParseDiskstats(text []byte) ([]BlockCount, error) { return parseDiskstats(text) }
