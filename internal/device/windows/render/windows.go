// Package render writes scripts for hosts with Windows, server and desktop editions. They need PowerShell 5.1.
package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// step is one change, with lines of PowerShell that save the old state, verify the change and undo it. All old states
// are saved before anything is changed.
type step struct {
	source config.Source
	why    string
	early  bool // saved and applied before the rest is read: features that provide the commands for it
	keep   []string
	apply  []string
	verify []check
	undo   []string
}

// check is a line of verify: the message if an expression is false.
type check struct{ wrong, expression string }

// render is one host during rendering.
type render struct {
	p       *plan.Plan
	h       *plan.Host
	d       *config.Device
	q       *device.QoS
	edition edition
	ports   []*port
	steps   []step
}

// change returns a line that calls a cmdlet which changes something.
func change(text string) string {
	for _, verb := range []string{"Set-", "New-", "Enable-", "Disable-", "Add-", "Remove-"} {
		if strings.HasPrefix(text, verb) {
			return text
		}
	}
	return ""
}

// Host renders a host with Windows.
func Host(p *plan.Plan, h *plan.Host) (config.Device, error) {
	d := config.Device{What: "Windows", Change: change}
	if h.Decl.Version != "" {
		d.What += " " + h.Decl.Version
	}
	r := &render{p: p, h: h, d: &d, q: p.QoS(), edition: editionOf(h.Decl.Version)}
	gaps := p.HostGaps(h)
	if err := config.Refuse("host "+h.Name, gaps.Refusals()); err != nil {
		return d, err
	}
	d.Gaps(gaps.Missing())
	if err := r.findPorts(); err != nil {
		return d, err
	}
	r.features()
	for _, port := range r.ports {
		r.adapter(port)
		r.wire(port)
	}
	r.teams()
	for _, port := range r.ports {
		r.address(port)
	}
	r.rdma()
	r.qos()
	r.smb()
	r.storage()
	if err := r.names(); err != nil {
		return d, err
	}
	d.Files = []config.File{r.applyFile(), r.undoFile(), r.verifyFile()}
	r.functions()
	r.drivers()
	r.fillIn()
	r.order()
	return d, nil
}

func (r *render) add(s step) { r.steps = append(r.steps, s) }

// edition is a kind of Windows. They differ in how features are enabled.
type edition int

const (
	unknownEdition edition = iota
	server
	desktop
)

func editionOf(version string) edition {
	v := strings.ToLower(version)
	switch {
	case strings.Contains(v, "server") || strings.Contains(v, "hyper-v") || strings.Contains(v, "azure local"):
		return server
	case strings.HasPrefix(v, "10") || strings.HasPrefix(v, "11") || strings.HasPrefix(v, "windows 1") ||
		strings.HasPrefix(v, "7") || strings.HasPrefix(v, "8"):
		return desktop
	}
	return unknownEdition
}

// when wraps a line so that it runs only on that edition of Windows.
func (r *render) when(e edition, line string) string {
	switch {
	case r.edition == e:
		return line
	case r.edition != unknownEdition:
		return ""
	case e == server:
		return "if ($server) { " + line + " }"
	}
	return "if (-not $server) { " + line + " }"
}

// nic returns the entry of the file that a port belongs to; nil for a bond.
func (r *render) nic(p *plan.Port) *fabric.NIC {
	i := slices.IndexFunc(r.h.Decl.NICs, func(n *fabric.NIC) bool { return n.Name == p.NIC })
	if i < 0 {
		return nil
	}
	return r.h.Decl.NICs[i]
}

// head begins every script.
func (r *render) head(f *config.File) {
	f.Note(ascii(fmt.Sprintf("%s of the fabric %s: %s", r.h.Name, r.p.Name, strings.TrimSuffix(f.Name, ".ps1"))))
	f.Add(msPS, "ends at once in an older PowerShell", "#Requires -Version 5.1")
	f.Add(msPS, "ends at once if it is not run as administrator", "#Requires -RunAsAdministrator")
	f.Form("Set-StrictMode -Version 2.0", "$ErrorActionPreference = 'Stop'",
		"$stateFile = Join-Path $env:ProgramData "+must(`linerate\`+r.h.Name+".json"))
	if r.mentions("$hostsFile") || r.mentions("Get-OtherLines") {
		f.Form("$hostsFile = Join-Path $env:SystemRoot 'System32\\drivers\\etc\\hosts'")
	}
	if r.mentions("$smbClient") {
		f.Form("$smbClient = 'HKLM:\\SYSTEM\\CurrentControlSet\\Services\\LanmanWorkstation\\Parameters'")
	}
	if r.edition == unknownEdition {
		f.Add(msCmdlets, "the file does not say which Windows it is",
			"$server = (Get-CimInstance -ClassName Win32_OperatingSystem).ProductType -ne 1")
	}
	f.Form("$state = @{}")
	load := "(Get-Content -Raw -Encoding UTF8 $stateFile | ConvertFrom-Json).PSObject.Properties | ForEach-Object { " +
		"$state[$_.Name] = $_.Value }"
	if f.Name == "apply.ps1" {
		f.Form("if (Test-Path $stateFile) { " + load + " }")
		return
	}
	f.Form("if (-not (Test-Path $stateFile)) { throw \"$stateFile is not there: apply.ps1 has not run here, or was "+
		"undone\" }", load)
}

// mentions reports whether a step contains a text, so that the scripts do not begin with unused functions.
func (r *render) mentions(text string) bool {
	for _, s := range r.steps {
		lines := slices.Concat(s.keep, s.apply, s.undo)
		for _, c := range s.verify {
			lines = append(lines, c.expression)
		}
		if slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, text) }) {
			return true
		}
	}
	return false
}

// turnsOn reports whether the host gets features of Windows, which may require a restart.
func (r *render) turnsOn() bool {
	return slices.ContainsFunc(r.steps, func(s step) bool { return s.early && len(s.apply) > 0 })
}

func (r *render) applyFile() config.File {
	f := config.File{Name: "apply.ps1", Comment: "#"}
	r.head(&f)
	f.Form("function Keep([string]$Key, $Value) { if (-not $state.ContainsKey($Key)) { $state[$Key] = $Value } }")
	f.Form("function Save { New-Item -ItemType Directory -Force (Split-Path $stateFile) | Out-Null; ConvertTo-Json " +
		"-Depth 5 $state | Set-Content -Encoding UTF8 $stateFile }")
	if r.mentions("-Property ") {
		f.Form(propertyFunctions...)
	}
	f.Form(r.blockFunction()...)
	r.portLines(&f)
	r.portChecks(&f)
	f.Note("what is there now, for undo.ps1; a second apply keeps what the first one found")
	for _, p := range r.ports {
		if !p.team {
			f.Add("plan", "undo.ps1 and verify.ps1 take the adapter of port "+p.ID+" from here",
				fmt.Sprintf("Keep %s %s", must("adapter "+p.ID), p.variable))
		}
	}
	r.keepLines(&f, true)
	r.keepLines(&f, false)
	f.Form("Keep 'changed' $true", "Save")
	f.Note("from here on things are changed")
	for _, s := range r.steps {
		for _, l := range s.apply {
			if l != "" && !s.early {
				f.Add(s.source, s.why, l)
			}
		}
	}
	f.Form("Write-Host 'done; now verify.ps1'")
	return f
}

// keepLines saves the old values. Features are enabled in between, because they provide the commands that read the
// other old values.
func (r *render) keepLines(f *config.File, early bool) {
	apply := false
	for _, s := range r.steps {
		if s.early != early {
			continue
		}
		for _, l := range s.keep {
			if l != "" {
				f.Add(s.source, "kept before anything is changed, for undo: "+s.why, l)
			}
		}
		apply = apply || early && len(s.apply) > 0
	}
	if !apply {
		return
	}
	f.Form("Save", "$restart = $false")
	for _, s := range r.steps {
		for _, l := range s.apply {
			if s.early && l != "" {
				f.Add(s.source, s.why, l)
			}
		}
	}
	f.Form("if ($restart) { Write-Host 'restart this machine, then run apply.ps1 again: so far only features were " +
		"turned on'; exit 3010 }")
}

func (r *render) verifyFile() config.File {
	f := config.File{Name: "verify.ps1", Comment: "#"}
	r.head(&f)
	f.Form("$bad = 0", "$unknown = 0", "function Check([string]$Wrong, [scriptblock]$Test) {",
		"    try { $ok = [bool](& $Test) } catch { Write-Host \"not known whether ${Wrong}: $_\"; $script:unknown++; "+
			"return }",
		"    if (-not $ok) { Write-Host \"not as planned: $Wrong\"; $script:bad++ }", "}")
	if r.mentions("Get-Property") {
		f.Form(propertyFunctions[:propertyReads]...)
	}
	r.oldPorts(&f)
	for _, s := range r.steps {
		for _, c := range s.verify {
			f.Add(s.source, s.why, fmt.Sprintf("Check %s { %s }", must(c.wrong), c.expression))
		}
	}
	f.Form("if ($bad -gt 0) { exit 1 }", "if ($unknown -gt 0) { exit 3 }", "Write-Host 'as planned'", "exit 0")
	return f
}

func (r *render) undoFile() config.File {
	f := config.File{Name: "undo.ps1", Comment: "#"}
	r.head(&f)
	rest := ""
	if r.turnsOn() {
		rest = "; features that it turned on stay on"
	}
	f.Form("if (-not $state.ContainsKey('changed')) { Remove-Item $stateFile; Write-Host 'apply.ps1 had changed " +
		"nothing yet" + rest + "'; exit 0 }")
	if r.mentions("-Property ") {
		f.Form(propertyFunctions...)
	}
	f.Form(r.blockFunction()...)
	r.oldPorts(&f)
	for _, s := range slices.Backward(r.steps) {
		for _, l := range s.undo {
			if l != "" {
				f.Add(s.source, "undone: "+s.why, l)
			}
		}
	}
	f.Form("Remove-Item $stateFile", "Write-Host 'undone'")
	return f
}

// propertyReads is the number of lines of propertyFunctions that read.
const propertyReads = 5

// propertyFunctions read and set a driver's property by its keyword; a driver may not have it.
var propertyFunctions = []string{
	"function Get-Property([string]$Adapter, [string]$Keyword) {",
	"    $found = @(Get-NetAdapterAdvancedProperty -Name $Adapter -AllProperties | Where-Object { $_.RegistryKeyword " +
		"-eq $Keyword })",
	"    if ($found.Count -eq 0) { return $null }",
	"    return [string]@($found[0].RegistryValue)[0]",
	"}",
	"function Set-Property([string]$Adapter, [string]$Keyword, $Value) {",
	"    if ($null -eq $Value) { return }",
	"    $now = Get-Property $Adapter $Keyword",
	"    if ($null -eq $now) { Write-Warning \"$Adapter has no $Keyword in its driver; it was not set to $Value\"; " +
		"return }",
	"    if ($now -ne [string]$Value) { Set-NetAdapterAdvancedProperty -Name $Adapter -RegistryKeyword $Keyword " +
		"-RegistryValue $Value }",
	"}",
}
