package judge

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// NoSettingChanged is the undo of a fix that changes no setting.
const NoSettingChanged = "nothing: no setting is changed"

// FromCheck turns a fix or undo of a check into steps. Those that are commands get the name of their host.
func FromCheck(host, text string) string { return OnHost(host, strings.ReplaceAll(text, "; ", "\n")) }

// OnHost puts the host before each step that is a command.
func OnHost(host, steps string) string {
	lines := strings.Split(steps, "\n")
	for i, line := range lines {
		if record.IsCommand(line) {
			lines[i] = record.Step{Text: line, Host: host}.String()
		}
	}
	return strings.Join(lines, "\n")
}

// With describes how to give an experiment a setting: as a flag where it was measured with flags, or else in its fabric
// file.
func (c *Case) With(key, value string) string {
	if c.ByFlags {
		return fmt.Sprintf("measure with --%s %s", strings.ReplaceAll(key, "_", "-"), Quote(value))
	}
	return fmt.Sprintf("in the fabric file, at this experiment: %s: %s", key, value)
}

// Without describes how to omit a setting.
func (c *Case) Without(key string) string {
	if c.ByFlags {
		return "measure without --" + strings.ReplaceAll(key, "_", "-")
	}
	return fmt.Sprintf("take %s out of this experiment in the fabric file", key)
}

// ShortRate formats a rate for a flag or a file, with three digits: 18.8M.
func ShortRate(r unit.BitRate) string {
	return strings.TrimSuffix(strings.ReplaceAll(r.String(), " ", ""), "b/s")
}
