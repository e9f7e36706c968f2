package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

// windowsSources are the outputs of Windows' PowerShell and netsh.
func windowsSources() []source {
	out := []source{
		source{name: "windows.ps1", read: readWindowsScript}.on("windows").keptAs("windows ps1", `"schema"\s*:\s*"linerate/windows/`),
		source{name: "apply.ps1", read: readQosScript}.on("windows").keptAs("apply ps1", `(?mi)^\s*(?:New-NetQos|Enable-NetQosFlowControl|Disable-NetQosFlowControl|Set-NetQosDcbxSetting|Enable-NetAdapterQos)`),
		source{name: "netsh int tcp show global", read: readNetshGlobal}.on("windows").keptAs("netsh int tcp show global", ""),
		source{name: "powercfg /getactivescheme", read: readPowerPlan}.on("windows").keptAs("powercfg", ""),
		source{name: "netstat -s", read: readNetstatWindows}.on("windows").keptAs("netstat s", `(?m)^\s*.*TCP.*IPv[46].*\r?\n\s*\r?\n(?:[ \t]+\S.*= \d+[ \t]*\r?\n?){8}`),
	}
	seen := map[string]bool{}
	for _, c := range cmdlets() {
		if seen[c.name] {
			continue
		}
		seen[c.name] = true
		verb, noun, _ := strings.Cut(strings.ToLower(c.name), "-")
		out = append(out, source{name: c.name, read: readPS(c.name)}.on("windows").keptAs(verb+" "+noun, ""))
	}
	return append(out, source{name: "powershell", read: readPS("")}.on("windows").keptAs("powershell", psLooks))
}

// psLooks are labels and names that only PowerShell's cmdlets print, and its prompt before one of them.
const psLooks = `(?mi)^(?:\[[^\]]*\]:\s*)?PS(?: [A-Z]:\\[^>]*)?> *Get-|PcieLinkSpeed +PcieLinkWidth|^PciExpressCurrentLinkWidth *:|InterfaceDescription +ifIndex|` +
	`^NumberOfReceiveQueues *:|^OperationalFlowControl *:|^NumTCs\(Max/ETS/PFC\)|^ *NumTCs\(Max/ETS/PFC\)|Client RDMA|^ClientRdmaCapable *:|RDMA Capable|^RdmaCapable *:|^VrssEnabled|` +
	`^Algorithm +Bandwidth\(%\)|Algorithm Bandwidth\(%\)|^Willing +PolicySet|^Priority +Enabled +PolicySet|^AutoTuningLevelLocal *:|^SriovSupport *:|^MacAddressSpoofing *:|^IovEnabled *:|^TargetSideIdentifier *:|^TargetPortNumber *:|CanPool +OperationalStatus|InterfaceDescription +Enabled +Operational`

var getCmdlet = lazyregexp.New(`(?i)^Get-[a-z0-9]+$`)

// canonicalWindows brings a command line of PowerShell into the form of the table: "get-netadapterrss -Name * | fl" is
// Get-NetAdapterRss; of a pipe the last cmdlet that gets something tells what is printed.
func canonicalWindows(words []string) (string, bool) {
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
