package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
	"linerate/internal/device/windows"
)

// Quote writes a text as an expression of PowerShell. Single quotes can contain everything except quotes, and
// PowerShell accepts U+2018 to U+201B as single quotes (about_Quoting_Rules). Windows PowerShell reads a script without
// a byte order mark in the machine's code page, in which a byte of another character may be such a quote. Everything
// beyond ASCII is therefore written by its number.
func Quote(s string) (string, error) {
	if why := config.Unfit(s); why != "" {
		return "", &config.Refused{Text: s, Language: "a PowerShell script", Why: why}
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

// must quotes a text of linerate, or one that was checked.
func must(s string) string {
	q, err := Quote(config.Plain(s))
	if err != nil {
		return "''"
	}
	return q
}

// ascii makes a text fit for a comment.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' || r < ' ' {
			return '?'
		}
		return r
	}, s)
}

// Adapter quotes the name of a network adapter. It refuses * ? [ ], which PowerShell reads as patterns that could match
// another adapter.
func Adapter(name string) (string, error) {
	if why := windows.UnfitAdapter(name); why != "" {
		return "", &config.Refused{Text: name, Language: "the name of a network adapter in PowerShell", Why: why}
	}
	return Quote(name)
}
