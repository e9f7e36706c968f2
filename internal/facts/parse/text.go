package parse

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// ParseNames reads a list of names, one a line, in the form of "ls" without a terminal.
func ParseNames(text []byte) ([]string, error) {
	names := []string{}
	for line := range strings.Lines(string(text)) {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		if strings.ContainsAny(name, " \t/:\x00") {
			return nil, ToolError(text)
		}
		names = append(names, name)
	}
	return names, nil
}

// ParseJSON reads the JSON output of ip or tc.
func ParseJSON(text []byte, v any) error {
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return fmt.Errorf("it is not a JSON list; add -j to the command (%w)", ToolError(text))
	}
	err := json.Unmarshal(text, v)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("it is not a JSON of this command: the key %.60q holds a %s", kind.Field, kind.Value)
	}
	if err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	return nil
}

// Options splits "-i eth0 --pfc=0,0,0,1 --trust dscp" into names without dashes and values, up to the end of the
// command.
func Options(words []string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == ";" || w == "|" || w == "&" || w == ">" {
			break
		}
		name := strings.TrimLeft(w, "-")
		if name == w || name == "" {
			continue
		}
		name, value, ok := strings.Cut(name, "=")
		if !ok && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			i++
			value = words[i]
		}
		out[name] = value
	}
	return out
}

// FirstOption returns the first existing option of several names.
func FirstOption(o map[string]string, names ...string) string {
	for _, n := range names {
		if v := o[n]; v != "" {
			return v
		}
	}
	return ""
}

// BaseName returns the last part of a path: /dev/mst/mt4119_pciconf0 is mt4119_pciconf0.
func BaseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// UnnamedPort is the name of a device or interface that a saved output does not name.
const UnnamedPort = "unnamed"

// Missing stores the reason why a value is unknown, unless it is known.
func Missing[T any](o *unit.Opt[T], why string) {
	if !o.IsKnown() {
		*o = unit.Unknown[T](why)
	}
}

// Pairs reads "KEY VALUE KEY VALUE". It tries every word as a key, so a word without a value does not matter.
func Pairs(words []string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(words); i++ {
		if _, ok := m[words[i]]; !ok {
			m[words[i]] = words[i+1]
		}
	}
	return m
}

// ParseValue reads a file of one value, such as most of sysfs and /proc/sys.
func ParseValue(text []byte) (string, error) {
	v := strings.TrimSpace(string(text))
	if v == "" {
		return "", errors.New("it is empty")
	}
	if strings.ContainsAny(v, "\n\x00") {
		return "", errors.New("it has more than the one line of a single value")
	}
	return v, nil
}

// ParseCounter reads a file of one counter.
func ParseCounter(text []byte) (uint64, error) {
	v, err := ParseValue(text)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%.40q is not a counter", v)
	}
	return n, nil
}

// ToolError returns the message that a tool printed instead of its output, shortened.
func ToolError(text []byte) error {
	s := facts.OneLine(string(text[:min(len(text), 1000)]))
	if len(s) > 120 {
		s = s[:120] + " .."
	}
	if s == "" {
		return errors.New("the output is empty")
	}
	return fmt.Errorf("the output has nothing of the expected form: %q", s)
}

// MaxFunctions is the largest number of functions; an adapter has at most some hundreds.
const MaxFunctions = 4096
