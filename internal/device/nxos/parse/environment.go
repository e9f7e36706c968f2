package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

const (
	// environmentLooks matches the header of the power supplies, or that of the temperatures.
	environmentLooks = `(?m)^Power Supply:[ \t]*\r?\nVoltage:|^Module[ \t]+Sensor[ \t]+MajorThresh[ \t]+MinorThres`
	moduleLooks      = `(?m)^Mod +Ports +Module-Type`
)

var (
	environmentForm = lazyregexp.New(environmentLooks)
	moduleForm      = lazyregexp.New(moduleLooks)
	supplyRow       = lazyregexp.New(`^\d+\s+(\S+)(?:\s+(?:[\d.]+ W|N/A))+\s+(\S.*)$`)
	// Newer releases print the direction of the air before the state.
	fanRow         = lazyregexp.New(`^\S*\d\S*\s+(\S+)\s+\S+\s+(?:\w+-to-\w+\s+)?(\S.*)$`)
	temperatureRow = lazyregexp.New(`^(\d+)\s+(\S.*?)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)$`)
	moduleRow      = lazyregexp.New(`^(\d+)\s+\d+\s+\S.*?(?:\s+([A-Z][A-Z0-9.-]+))?\s{2,}(\S.*)$`)
)

// readEnvironment reads "show environment" and "show environment temperature": tables of power supplies, modules' power
// draw, fans and temperatures. Snapshots: ntc-templates, Nexus 7000 and 9000.
func readEnvironment(f *parse.Builder, _ []string, text []byte) error {
	if !environmentForm.Match(text) {
		return parse.ToolError(text)
	}
	table := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if head := words[0] + " " + words[1]; head == "Supply Model" || head == "Module Model" || head == "Fan Model" ||
			head == "Module Sensor" {
			table = head
			continue
		}
		switch table {
		case "Supply Model":
			if m := supplyRow.FindStringSubmatch(line); m != nil {
				f.Sensed("psu", words[0]+" ("+m[1]+")", m[2], line)
			}
		case "Fan Model":
			if m := fanRow.FindStringSubmatch(line); m != nil {
				f.Sensed("fan", words[0], m[2], line)
			}
		case "Module Sensor":
			if m := temperatureRow.FindStringSubmatch(line); m != nil {
				f.Sensed("temperature", m[1]+" "+strings.Join(strings.Fields(m[2]), " "), m[6], line)
				f.Switch.Sensors[len(f.Switch.Sensors)-1].State = m[5] + " C, limits " + m[4] + " and " + m[3] + " C"
			}
		}
	}
	return nil
}

// readModule reads "show module": the first of its tables has the state of each module. Snapshots: ntc-templates, Nexus
// 7000 and 9500.
func readModule(f *parse.Builder, _ []string, text []byte) error {
	if !moduleForm.Match(text) {
		return parse.ToolError(text)
	}
	in := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch m := moduleRow.FindStringSubmatch(line); {
		case moduleForm.MatchString(line):
			in = true
		case line == "":
			in = false
		case in && m != nil:
			name := "module " + m[1]
			if m[2] != "" {
				name += " (" + m[2] + ")"
			}
			f.Sensed("module", name, m[3], line)
		}
	}
	return nil
}
