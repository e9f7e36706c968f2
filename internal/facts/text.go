package facts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

func known[T any](v T) unit.Opt[T] { return unit.Known(v) }

// parseValue reads a file of one value, as most of sysfs and /proc/sys are.
func parseValue(text []byte) (string, error) {
	v := strings.TrimSpace(string(text))
	if v == "" {
		return "", errors.New("it is empty")
	}
	if strings.ContainsAny(v, "\n\x00") {
		return "", errors.New("it has more than the one line of a single value")
	}
	return v, nil
}

// parseCounter reads a file of one counter.
func parseCounter(text []byte) (uint64, error) {
	v, err := parseValue(text)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is no counter", v)
	}
	return n, nil
}

// toolError is what a tool printed instead of its output, shortened.
func toolError(text []byte) error {
	s := oneLine(string(text[:min(len(text), 1000)]))
	if len(s) > 120 {
		s = s[:120] + " .."
	}
	if s == "" {
		return errors.New("the output is empty")
	}
	return fmt.Errorf("the output has nothing of the expected form: %q", s)
}
