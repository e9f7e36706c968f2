package parse

import (
	"errors"
	"strings"

	"linerate/internal/facts"
)

// parseCPUInfo reads the model of the first CPU in /proc/cpuinfo. Format:
// https://docs.kernel.org/filesystems/proc.html; the keys differ by architecture: "model name" on x86 and some others,
// "cpu" on POWER; ARM has numbers only.
func parseCPUInfo(text []byte) (string, error) {
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" {
			continue
		}
		switch strings.TrimSpace(key) {
		case "model name", "Model name", "cpu", "cpu model":
			return facts.OneLine(value), nil
		}
	}
	return "", errors.New("it does not name the model")
}
