package plan

var ruleNames = Rule{
	ID:    "hosts-files",
	Title: "hosts files of many hosts",
	Why:   "the hosts files of n hosts have n(n-1) lines together",
	Worst: Info,
	check: func(c *checkup) []Problem {
		if len(c.p.Hosts) <= namedHosts || c.f.Addressing.Names != "" {
			return nil
		}
		return []Problem{said(Info, "plan", 0, "use DNS, or write addressing: {names: hosts-file} to have them all the same",
			"it has %d hosts, and hosts files are made without being asked up to %d", len(c.p.Hosts), namedHosts)}
	},
}
