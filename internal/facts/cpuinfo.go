package facts

import (
	"errors"
	"strings"
)

// parseCPUInfo reads the processor's name from /proc/cpuinfo, of the first
// processor in it. Format: https://docs.kernel.org/filesystems/proc.html; the keys
// differ by architecture: "model name" on x86 and some others, "cpu" on POWER;
// ARM has numbers only.
func parseCPUInfo(text []byte) (string, error) {
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" {
			continue
		}
		switch strings.TrimSpace(key) {
		case "model name", "Model name", "cpu", "cpu model":
			return oneLine(value), nil
		}
	}
	return "", errors.New("it does not name the model")
}
