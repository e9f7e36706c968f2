package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// port is an adapter that the plan uses.
type port struct {
	*plan.Port
	variable string   // $nic_cx5_1
	name     string   // quoted, if the file names the adapter
	ids      []string // VEN_15B3&DEV_1019: how it is found; empty if it has to be filled in
	of       int      // how many adapters the NIC has
	bond     string   // the bond that it belongs to
	team     bool     // is a bond: its variable is the virtual adapter
}

// findPorts lists the plugged ports, members of bonds before the bonds.
func (r *render) findPorts() error {
	taken := map[string]bool{}
	for _, p := range r.h.Ports {
		// A virtual function has an address, but no cable.
		if p.Link == "" && !p.Address.IsValid() {
			continue
		}
		x := &port{Port: p, of: 1}
		x.variable = variable(p.ID[len(r.h.Name)+1:], taken)
		nic := r.nic(p)
		switch {
		case nic == nil:
			x.team = true
		case p.Declared:
			name, err := Adapter(p.Interface)
			if err != nil {
				return fmt.Errorf("host %s: port %s: %w", r.h.Name, p.ID, err)
			}
			x.name = name
		case nic.VF == "":
			x.ids, x.of = r.deviceIDs(p)
		}
		for _, b := range r.h.Decl.Bonds {
			for _, m := range b.Of {
				if nic != nil && m.NIC == p.NIC && (m.Index == p.Index || x.of == 1) {
					x.bond = b.Name
				}
			}
		}
		r.ports = append(r.ports, x)
	}
	return nil
}

func variable(id string, taken map[string]bool) string {
	base := "$nic_" + strings.Map(func(r rune) rune {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			return r
		}
		return '_'
	}, id)
	name := base
	// PowerShell does not distinguish upper and lower case.
	for i := 2; taken[strings.ToLower(name)]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	taken[strings.ToLower(name)] = true
	return name
}

// deviceIDs returns the PnP ids of a port's NIC, and its number of adapters; no ids if another NIC of the host has the
// same.
func (r *render) deviceIDs(p *plan.Port) (ids []string, of int) {
	of = 1
	if p.Part == nil {
		return nil, of
	}
	if len(p.Part.Ports) > 0 {
		of = len(p.Part.Ports)
	}
	for _, other := range r.h.Ports {
		if other.NIC == p.NIC || other.Part == nil {
			continue
		}
		for _, id := range other.Part.PCIIDs {
			if slices.Contains(p.Part.PCIIDs, id) {
				return nil, of
			}
		}
	}
	for _, id := range p.Part.PCIIDs {
		vendor, product, ok := strings.Cut(strings.ToUpper(id), ":")
		if ok && device.BareWord(vendor) && device.BareWord(product) {
			ids = append(ids, fmt.Sprintf("VEN_%s&DEV_%s", vendor, product))
		}
	}
	return ids, of
}

var findFunction = []string{
	"function Find-Port([string]$Port, [string[]]$Ids, [int]$Of, [int]$Index) {",
	"    $found = @(Get-NetAdapter -Physical | Where-Object { $pnp = $_.PnPDeviceID; @($Ids | Where-Object { $pnp " +
		"-like \"PCI\\$_*\" }).Count -gt 0 })",
	"    if ($found.Count -ne $Of) {",
	"        $names = ($found | ForEach-Object { $_.Name }) -join ', '",
	"        throw \"nothing was changed: port ${Port}: $($found.Count) adapters are of its kind ($names), not $Of; " +
		"below, in its line, write Get-Port '$Port' 'NAME' in place of Find-Port .., with its name from Get-NetAdapter\"",
	"    }",
	"    $sorted = @($found | ForEach-Object { Get-NetAdapterHardwareInfo -Name $_.Name } | Sort-Object -Property " +
		"'Segment', 'Bus', 'Device', 'Function')",
	"    return $sorted[$Index].Name",
	"}",
	"function Get-Port([string]$Port, [string]$Name) {",
	"    $found = @(Get-NetAdapter | Where-Object { $_.Name -eq $Name })",
	"    if ($found.Count -ne 1) { throw \"nothing was changed: port ${Port}: there is no adapter named '$Name'; write " +
		"its name, from Get-NetAdapter, into its line below\" }",
	"    return $found[0].Name",
	"}",
}

// portLines finds every adapter before anything is changed.
func (r *render) portLines(f *config.File) {
	f.Form(findFunction...)
	for _, p := range r.ports {
		id := must(p.ID)
		switch {
		case p.team:
		case p.name != "":
			f.Add(msCmdlets, fmt.Sprintf("port %s, by the name in the file", p.ID),
				fmt.Sprintf("%s = Get-Port %s %s", p.variable, id, p.name))
		case len(p.ids) > 0:
			quoted := make([]string, len(p.ids))
			for i, x := range p.ids {
				quoted[i] = must(x)
			}
			f.Add(msCmdlets, fmt.Sprintf("port %s, by the NIC's PnP id, in the order of its PCI functions", p.ID),
				fmt.Sprintf("%s = Find-Port %s @(%s) %d %d", p.variable, id, strings.Join(quoted, ", "), p.of, p.Index-1))
		default:
			f.Note("fill in between the last quotes: the adapter's name, from Get-NetAdapter")
			f.Add(msCmdlets, fmt.Sprintf("port %s: neither the file nor the catalogue says how to tell its adapter", p.ID),
				fmt.Sprintf("%s = Get-Port %s ''", p.variable, id))
		}
	}
}

// oldPorts reads the adapters that apply used.
func (r *render) oldPorts(f *config.File) {
	for _, p := range r.ports {
		if !p.team {
			f.Add("plan", "the adapter that apply.ps1 found for port "+p.ID,
				fmt.Sprintf("%s = $state[%s]", p.variable, must("adapter "+p.ID)))
		}
	}
	for _, p := range r.ports {
		if p.team {
			f.Add(msHyperV, "the virtual adapter of bond "+p.ID, fmt.Sprintf("%s = %s", p.variable, p.virtual()))
		}
	}
}

// virtual returns the name of the adapter that Hyper-V creates for a bond's switch.
func (p *port) virtual() string { return must("vEthernet (" + p.NIC + ")") }
