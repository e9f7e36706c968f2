package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// nothingSet is the undo of what changes no setting.
const nothingSet = "nothing: no setting is changed"

// fromCheck is a fix or undo of a check as steps, those that are commands for a host of their own.
func fromCheck(host, text string) string {
	parts := strings.Split(text, "; ")
	for i, part := range parts {
		if record.IsCommand(part) {
			parts[i] = "on " + host + ": " + part
		}
	}
	return strings.Join(parts, "\n")
}

// with says how an experiment gets a setting: as a flag where it was measured by flags, else in its fabric file.
func (c *Case) with(key, value string) string {
	if c.ByFlags {
		return fmt.Sprintf("measure with --%s %s", strings.ReplaceAll(key, "_", "-"), quote(value))
	}
	return fmt.Sprintf("in the fabric file, at this experiment: %s: %s", key, value)
}

// without says how a setting is left out.
func (c *Case) without(key string) string {
	if c.ByFlags {
		return "measure without --" + strings.ReplaceAll(key, "_", "-")
	}
	return fmt.Sprintf("take %s out of this experiment in the fabric file", key)
}

// short is a rate as a flag or a file takes it, with three digits: 18.8M.
func short(r unit.BitRate) string {
	return strings.TrimSuffix(strings.ReplaceAll(r.String(), " ", ""), "b/s")
}
