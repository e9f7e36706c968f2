package facts

import (
	"strings"
)

// readIbswinfo reads "ibswinfo.sh" of an unmanaged InfiniBand switch: lines "name | value" between rulers. Those that say how a
// part is become sensors; a field that is empty is not known.
// Format: https://github.com/stanford-rc/ibswinfo.
//
//	PSU1 status        | OK
//	     DC power      | ERROR
//	fan status         | OK
func readIbswinfo(f *Facts, _ []string, text []byte) error {
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
			f.sensed("psu", supply, value, line)
		case key == "DC power":
			f.sensed("psu", strings.TrimSpace(supply+" "+key), value, line)
		case key == "fan status":
			f.sensed("fan", strings.TrimSpace(supply+" fan"), value, line)
		}
	}
	if !seen {
		return toolError(text)
	}
	return nil
}
