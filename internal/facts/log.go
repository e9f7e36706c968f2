package facts

import (
	"bytes"

	"linerate/internal/base/lazyregexp"
)

// logSources are the kernels' logs. Two systems have a command of one name.
func logSources() []source {
	return []source{source{name: "dmesg", read: readDmesg}.keptAs("dmesg", `(?m)^(?:\[ *\d+\.\d+\] |Copyright \(c\) 1992-\d+ The FreeBSD Project|(?:pcib|pci|ix|cxl|mce|cpu)\d+: <)`)}
}

var freebsdLog = lazyregexp.New(`(?m)^(?:\[ *[\d.]+\] )?(?:Copyright \(c\) \S+ The FreeBSD Project|FreeBSD [\d.]+-|[a-z_]+\d+: <.*> (?:mem|port|at|on|irq|numa-domain) )`)

// readDmesg reads a log of Linux or of FreeBSD: by its form, for that is all that a kept one has.
func readDmesg(f *Facts, args []string, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return toolError(text)
	}
	if freebsdLog.Match(text) {
		return readFreeBSDLog(f, text)
	}
	return readLinuxLog(f, text)
}
