package iproute

import (
	"linerate/internal/base/unit"
	"linerate/internal/facts/parse"
)

// Rule is a policy routing rule of "ip -j rule".
type Rule struct {
	Priority int    `json:"priority"`
	Source   string `json:"src,omitempty"`
	Table    string `json:"table,omitempty"`
	Action   string `json:"action,omitempty"`
}

// parseIPRule reads the JSON of "ip -j rule".
// Format: https://man7.org/linux/man-pages/man8/ip-rule.8.html, iproute2's ip/iprule.c.
func parseIPRule(text []byte) ([]Rule, error) {
	var rules []Rule
	err := parse.ParseJSON(text, &rules)
	return rules, err
}

// putIPRule counts the rules besides the kernel's own three: local at priority 0, main at 32766, default at 32767.
func putIPRule(f *parse.Builder, _ []string, rules []Rule) {
	n := f.Rules.Or(0)
	for _, r := range rules {
		own := r.Priority == 0 && r.Table == "local" || r.Priority == 32766 && r.Table == "main" || r.Priority == 32767 &&
			r.Table == "default"
		if !own {
			n++
		}
	}
	f.Rules = unit.Known(n)
}
