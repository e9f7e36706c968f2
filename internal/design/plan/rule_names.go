package plan

import "linerate/internal/record"

var ruleNames = Rule{
	ID:    "hosts-files",
	Title: "hosts files of many hosts",
	Why:   "the hosts files of n hosts have n(n-1) lines together",
	Worst: record.Info,
	check: func(c *checkup) []record.Problem {
		if len(c.p.Hosts) <= namedHosts || c.f.Addressing.Names != "" {
			return nil
		}
		return []record.Problem{said(record.Info, "plan", 0, "use DNS, or write addressing: {names: hosts-file} to have them all the same",
			"it has %d hosts, and hosts files are made without being asked up to %d", len(c.p.Hosts), namedHosts)}
	},
}
