package render

import (
	"fmt"

	"linerate/internal/device"
	"linerate/internal/device/config"
)

// hostsMarks returns the first and last line of the fabric's block in the hosts file.
func (r *render) hostsMarks() (begin, end string) {
	return must("# linerate begin " + r.p.Name), must("# linerate end " + r.p.Name)
}

// blockFunction returns the function that removes the fabric's block from the hosts file's text. If a file has only one
// of the markers, it was edited and the extent of the block is unknown, so nothing is changed.
func (r *render) blockFunction() []string {
	if !r.mentions("Get-OtherLines") {
		return nil
	}
	begin, end := r.hostsMarks()
	return []string{
		"function Get-OtherLines {",
		"    $begin = " + begin,
		"    $end = " + end,
		"    $inside = $false",
		"    foreach ($line in @(Get-Content $hostsFile)) {",
		"        if ($line -eq $(if ($inside) { $begin } else { $end })) { throw \"nothing was changed: $hostsFile has " +
			"the line '$line' without its other half, '$begin' or '$end'; take it out by hand\" }",
		"        if ($line -eq $begin) { $inside = $true } elseif ($line -eq $end) { $inside = $false } elseif (-not " +
			"$inside) { $line }",
		"    }",
		"    if ($inside) { throw \"nothing was changed: $hostsFile has the line '$begin' and no '$end' behind it; take " +
			"it out by hand, and the names under it\" }",
		"}",
	}
}

// names adds the hosts file's block.
func (r *render) names() error {
	if len(r.h.Names) == 0 || r.p.Fabric.Addressing.Names != "hosts-file" {
		return nil
	}
	begin, end := r.hostsMarks()
	lines := begin
	var checks []check
	for _, n := range r.h.Names {
		text := n.Address.String()
		for _, name := range n.Names {
			if !device.BareWord(name) {
				return &config.Refused{Text: name, Language: "a hosts file", Why: "it is not a host name"}
			}
			text += " " + name
		}
		lines += ", " + must(text)
		checks = append(checks, check{"the hosts file has no line " + text,
			fmt.Sprintf("@(Get-Content $hostsFile) -contains %s", must(text))})
	}
	r.add(step{source: hostsFile, why: "names of the peers on each link (names: hosts-file)",
		keep:   []string{"$null = Get-OtherLines"},
		apply:  []string{fmt.Sprintf("Set-Content -Path $hostsFile -Value (@(Get-OtherLines) + @(%s, %s))", lines, end)},
		verify: checks, undo: []string{"Set-Content -Path $hostsFile -Value @(Get-OtherLines)"}})
	return nil
}
