package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

// Sources are the outputs of Windows' PowerShell and netsh.
func Sources() []parse.Source {
	out := []parse.Source{
		parse.Source{Name: "windows.ps1", Read: ReadWindowsScript}.On("windows").KeptAs("windows ps1",
			`"schema"\s*:\s*"linerate/windows/`),
		parse.Source{Name: "apply.ps1", Read: ReadQosScript}.On("windows").KeptAs("apply ps1",
			`(?mi)^\s*(?:New-NetQos|Enable-NetQosFlowControl|Disable-NetQosFlowControl|Set-NetQosDcbxSetting|Enable-NetAdapterQos)`),
		parse.Source{Name: "netsh int tcp show global",
			Read: ReadNetshGlobal}.On("windows").KeptAs("netsh int tcp show global", ""),
		parse.Source{Name: "powercfg /getactivescheme", Read: ReadPowerPlan}.On("windows").KeptAs("powercfg", ""),
		parse.Source{Name: "netstat -s", Read: ReadNetstatWindows}.On("windows").KeptAs("netstat s",
			`(?m)^\s*.*TCP.*IPv[46].*\r?\n\s*\r?\n(?:[ \t]+\S.*= \d+[ \t]*\r?\n?){8}`),
	}
	seen := map[string]bool{}
	for _, c := range cmdlets() {
		if seen[c.name] {
			continue
		}
		seen[c.name] = true
		verb, noun, _ := strings.Cut(strings.ToLower(c.name), "-")
		out = append(out, parse.Source{Name: c.name, Read: ReadPS(c.name)}.On("windows").KeptAs(verb+" "+noun, ""))
	}
	return append(out, parse.Source{Name: "powershell", Read: ReadPS("")}.On("windows").KeptAs("powershell", psLooks))
}

// psLooks matches labels and names that only PowerShell's cmdlets print, and its prompt before one of them.
const psLooks = `(?mi)^(?:\[[^\]]*\]:\s*)?PS(?: [A-Z]:\\[^>]*)?> *Get-|PcieLinkSpeed +PcieLinkWidth|^PciExpressCurrentLinkWidth *:|InterfaceDescription +ifIndex|` +
	`^NumberOfReceiveQueues *:|^OperationalFlowControl *:|^NumTCs\(Max/ETS/PFC\)|^ *NumTCs\(Max/ETS/PFC\)|Client RDMA|^ClientRdmaCapable *:|RDMA Capable|^RdmaCapable *:|^VrssEnabled|` +
	`^Algorithm +Bandwidth\(%\)|Algorithm Bandwidth\(%\)|^Willing +PolicySet|^Priority +Enabled +PolicySet|^AutoTuningLevelLocal *:|^SriovSupport *:|^MacAddressSpoofing *:|^IovEnabled *:|^TargetSideIdentifier *:|^TargetPortNumber *:|CanPool +OperationalStatus|InterfaceDescription +Enabled +Operational`

var getCmdlet = lazyregexp.New(`(?i)^Get-[a-z0-9]+$`)

// Canonical converts a command line of PowerShell to the form of the table: "get-netadapterrss -Name * | fl" is
// Get-NetAdapterRss. The last cmdlet of a pipe that gets something determines the output.
func Canonical(words []string) (string, bool) {
	tool := strings.ToLower(words[0])
	switch {
	case tool == "netsh" || tool == "netsh.exe":
		rest := strings.ToLower(strings.Join(words[1:], " "))
		rest = strings.Replace(rest, "interface", "int", 1)
		return "netsh " + rest, true
	case tool == "powercfg" || tool == "powercfg.exe":
		return "powercfg " + strings.ToLower(strings.Replace(strings.Join(words[1:], " "), "-", "/", 1)), true
	case !getCmdlet.MatchString(words[0]):
		return "", false
	}
	name := psCommand(strings.Join(words, " "))
	for _, c := range cmdlets() {
		if strings.EqualFold(c.name, name) {
			return c.name, true
		}
	}
	return name, true
}
