package read

import (
	"bytes"

	"linerate/internal/base/lazyregexp"
	freebsd "linerate/internal/device/freebsd/parse"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts/parse"
)

// commonSources are commands that several systems have, with outputs of one or several forms.
func commonSources() []parse.Source {
	return []parse.Source{
		parse.Source{Name: "dmesg", Read: readDmesg}.KeptAs("dmesg",
			`(?m)^(?:\[ *\d+\.\d+\] |Copyright \(c\) 1992-\d+ The FreeBSD Project|(?:pcib|pci|ix|cxl|mce|cpu)\d+: <)`),
		parse.Source{Name: "sysctl", Read: freebsd.ReadSysctl}.
			KeptAs("sysctl",
				`(?m)^(?:net\.(?:ipv4|ipv6|core|netfilter)|net\.inet6?|kern\.ipc|dev\.[a-z]\w*\.\d+|hw\.[a-z]\w*)\.[\w.%/-]+(?:: | = )`),
	}
}

var freebsdLog = lazyregexp.New(`(?m)^(?:\[ *[\d.]+\] )?(?:Copyright \(c\) \S+ The FreeBSD Project|FreeBSD [\d.]+-|[a-z_]+\d+: <.*> (?:mem|port|at|on|irq|numa-domain) )`)

// readDmesg reads a log of Linux or FreeBSD, recognized by its form, because a saved one has nothing else.
func readDmesg(f *parse.Builder, args []string, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return parse.ToolError(text)
	}
	if freebsdLog.Match(text) {
		return freebsd.ReadLog(f, text)
	}
	return linux.ReadLog(f, text)
}
