package windows

import (
	"fmt"
	"strings"

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// Quote writes a text as an expression of PowerShell. Single quotes carry everything but quotes, and PowerShell takes
// U+2018 to U+201B for single quotes, too (about_Quoting_Rules). Windows PowerShell reads a script without a byte order mark in the
// machine's own code page, in which a byte of another character may be such a quote; so everything beyond ASCII is written by its number.
func Quote(s string) (string, error) {
	if why := device.Unfit(s); why != "" {
		return "", &device.Refused{Text: s, Language: "a PowerShell script", Why: why}
	}
	var parts []string
	start := 0
	flush := func(end int) {
		if end > start || len(parts) == 0 && end == len(s) {
			parts = append(parts, "'"+strings.ReplaceAll(s[start:end], "'", "''")+"'")
		}
	}
	for i, r := range s {
		if r < 0x80 {
			continue
		}
		flush(i)
		start = i + len(string(r))
		if len(parts) == 0 { // + joins texts if its left side is one
			parts = append(parts, "''")
		}
		if r > 0xffff {
			parts = append(parts, fmt.Sprintf("[char]::ConvertFromUtf32(0x%X)", r))
		} else {
			parts = append(parts, fmt.Sprintf("[char]0x%X", r))
		}
	}
	flush(len(s))
	if len(parts) == 1 {
		return parts[0], nil
	}
	return "(" + strings.Join(parts, " + ") + ")", nil
}

// must quotes a text of linerate's own, or one that has been looked at.
func must(s string) string {
	q, err := Quote(device.Plain(s))
	if err != nil {
		return "''"
	}
	return q
}

// ascii is a text for a comment.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' || r < ' ' {
			return '?'
		}
		return r
	}, s)
}

// Adapter quotes the name of a network adapter. PowerShell takes * ? [ ] in it for patterns, which could fit another adapter.
func Adapter(name string) (string, error) {
	if why := plan.UnfitAdapter(name); why != "" {
		return "", &device.Refused{Text: name, Language: "the name of a network adapter in PowerShell", Why: why}
	}
	return Quote(name)
}
