package rdma

import (
	"strings"

	"linerate/internal/facts/parse"
)

// readIbswinfo reads "ibswinfo.sh" of an unmanaged InfiniBand switch: lines "name | value" between rulers. States of
// parts become sensors; an empty field is unknown. Format: https://github.com/stanford-rc/ibswinfo.
//
//	PSU1 status        | OK
//	     DC power      | ERROR
//	fan status         | OK
func readIbswinfo(f *parse.Builder, _ []string, text []byte) error {
	supply, seen := "", false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "---") {
			supply = "" // the lines of the last power supply end here
			continue
		}
		key, value, ok := strings.Cut(line, "|")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		seen = seen || key == "PSID" || key == "firmware version" || key == "uptime (d-h:m:s)"
		switch {
		case strings.HasPrefix(key, "PSU") && strings.HasSuffix(key, " status"):
			supply = strings.TrimSuffix(key, " status")
			f.Sensed("psu", supply, value, line)
		case key == "DC power":
			f.Sensed("psu", strings.TrimSpace(supply+" "+key), value, line)
		case key == "fan status":
			f.Sensed("fan", strings.TrimSpace(supply+" fan"), value, line)
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}
