package facts

// ParseStat reads the time of each core from the text of /proc/stat, for who compares two readings of it.
func ParseStat(text []byte) ([]CoreTime, error) { return parseStat(text) }
