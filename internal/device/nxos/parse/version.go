package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// versionHead matches the first line of "show version", which neighbours also announce with the release after it, or
// the line of the model: Nexus 5500 have no such first line in releases around 7.1.
const versionHead = `(?m)^Cisco Nexus Operating System \(NX-OS\) Software[ \t]*\r?$|` +
	`^[ \t]+cisco Nexus ?\d.*\b[Cc]hassis\b`

var (
	versionLooks = lazyregexp.New(versionHead)
	// In older releases the line is about the system image; newer ones only print NXOS.
	release = lazyregexp.New(`(?m)^[ \t]+(?:NXOS|system):[ \t]+version[ \t]+(\S+)`)
	model   = lazyregexp.New(`(?mi)^[ \t]+cisco[ \t]+(\S.*?)[ \t]*(?:chassis\b|\("|\r?$)`)
)

// readVersion reads "show version": model and release. Snapshots: ntc-templates, Nexus 5500 and 9000, and one of a leaf
// of ACI.
func readVersion(f *parse.Builder, _ []string, text []byte) error {
	m := release.FindSubmatch(text)
	if m == nil || !versionLooks.Match(text) {
		return parse.ToolError(text)
	}
	name := ""
	if m := model.FindSubmatch(text); m != nil {
		name = strings.TrimSpace(string(m[1]))
	}
	show.SetProduct(f, "Cisco", name, "NX-OS "+string(m[1]))
	return nil
}
