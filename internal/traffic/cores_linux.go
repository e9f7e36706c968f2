package traffic

import (
	"os"

	"linerate/internal/facts"
)

// coreTimes is the time of each core since boot, from /proc/stat.
func coreTimes() ([]facts.CoreTime, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil, err
	}
	return facts.ParseStat(text)
}
