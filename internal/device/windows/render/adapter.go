package render

import (
	"fmt"
	"strconv"

	"linerate/internal/device/config"
)

// headerBytes is the size of the Ethernet header, which *JumboPacket includes.
const headerBytes = 14

// property adds a step that sets a driver's property.
func (r *render) property(source config.Source, why string, p *port, keyword string, value int, wrong string) {
	key := must(keyword + " " + p.ID)
	r.add(step{source: source, why: why,
		keep:   []string{fmt.Sprintf("Keep %s (Get-Property %s '%s')", key, p.variable, keyword)},
		apply:  []string{fmt.Sprintf("Set-Property %s '%s' %d", p.variable, keyword, value)},
		verify: []check{{wrong, fmt.Sprintf("(Get-Property %s '%s') -eq '%d'", p.variable, keyword, value)}},
		undo:   []string{fmt.Sprintf("Set-Property %s '%s' $state[%s]", p.variable, keyword, key)}})
}

// adapter sets the properties of the NIC's driver. Each change restarts the adapter, so it comes before the addresses.
func (r *render) adapter(p *port) {
	if p.team {
		return
	}
	size := p.MTU + headerBytes
	r.property(msDCB, fmt.Sprintf("MTU %d on link %s; the driver counts the Ethernet header, too", p.MTU, p.Link), p,
		"*JumboPacket", size, fmt.Sprintf("%s: *JumboPacket is not %d", p.ID, size))
	if p.VLAN > 0 {
		r.property(msDCB, fmt.Sprintf("link %s is tagged with VLAN %d; priorities need a tag", p.Link, p.VLAN), p, "VlanID",
			p.VLAN, fmt.Sprintf("%s: VlanID is not %d", p.ID, p.VLAN))
	}
	if r.q != nil && len(r.q.Lossless()) > 0 && r.carriesQoS(p) {
		r.property(msKeywords, "PFC pauses one class, pause of the whole link would stop all; the two exclude each other", p,
			"*FlowControl", 0, p.ID+": pause of the whole link is on")
	}
	nic := r.nic(p.Port)
	if tech, ok := technology[nic.RDMA]; ok {
		r.property(msKeywords, fmt.Sprintf("%s, the transport of the plan, on both ends (NetworkDirect Technology)",
			nic.RDMA), p, "*NetworkDirectTechnology", tech,
			fmt.Sprintf("%s: NetworkDirect Technology is not %s", p.ID, nic.RDMA))
		key := must("rdma " + p.ID)
		r.add(step{source: msCmdlets, why: "RDMA on port " + p.ID,
			keep:   []string{fmt.Sprintf("Keep %s ([bool](Get-NetAdapterRdma -Name %s).Enabled)", key, p.variable)},
			apply:  []string{"Enable-NetAdapterRdma -Name " + p.variable},
			verify: []check{{p.ID + ": RDMA is off", fmt.Sprintf("(Get-NetAdapterRdma -Name %s).Enabled", p.variable)}},
			undo:   []string{fmt.Sprintf("if (-not $state[%s]) { Disable-NetAdapterRdma -Name %s }", key, p.variable)}})
	}
	if nic.VFs > 0 {
		key := must("sriov " + p.ID)
		r.add(step{source: msCmdlets, why: fmt.Sprintf("%d functions (SR-IOV) on port %s", nic.VFs, p.ID),
			keep: []string{fmt.Sprintf("Keep %s ([bool](Get-NetAdapterSriov -Name %s).Enabled)", key, p.variable)},
			apply: []string{fmt.Sprintf("if (-not (Get-NetAdapterSriov -Name %s).Enabled) { Enable-NetAdapterSriov "+
				"-Name %s }", p.variable, p.variable)},
			verify: []check{{p.ID + ": SR-IOV is off", fmt.Sprintf("(Get-NetAdapterSriov -Name %s).Enabled", p.variable)}},
			undo:   []string{fmt.Sprintf("if (-not $state[%s]) { Disable-NetAdapterSriov -Name %s }", key, p.variable)}})
	}
}

// technology is the value of *NetworkDirectTechnology for each transport.
var technology = map[string]int{"iwarp": 1, "rocev1": 3, "rocev2": 4}

// carriesQoS reports whether a port carries the fabric's classes: a port of a NIC on Ethernet. iWARP needs no lossless
// class, but shares the link.
func (r *render) carriesQoS(p *port) bool {
	nic := r.nic(p.Port)
	return r.q != nil && nic != nil && nic.VF == "" && nic.Mode != "ib"
}

// address sets the address of a port; other addresses remain.
func (r *render) address(p *port) {
	if !p.Address.IsValid() {
		return
	}
	ip, bits := p.Address.Addr(), p.Address.Bits()
	family := map[bool]string{true: "IPv4", false: "IPv6"}[ip.Is4()]
	at := must(ip.String())
	if ip.Is4() {
		key := must("dhcp " + p.ID)
		r.add(step{source: msCmdlets, why: "the address is written, not asked for: link " + p.Link + " has no DHCP server",
			keep: []string{fmt.Sprintf("Keep %s (Get-NetIPInterface -InterfaceAlias %s -AddressFamily IPv4 -ErrorAction "+
				"SilentlyContinue | ForEach-Object { [string]$_.Dhcp })", key, p.kept())},
			apply: []string{fmt.Sprintf("Set-NetIPInterface -InterfaceAlias %s -AddressFamily IPv4 -Dhcp Disabled", p.variable)},
			verify: []check{{p.ID + ": DHCP is on",
				fmt.Sprintf("[string](Get-NetIPInterface -InterfaceAlias %s -AddressFamily IPv4).Dhcp -eq 'Disabled'",
					p.variable)}},
			undo: []string{fmt.Sprintf("if ($state[%s] -eq 'Enabled') { Set-NetIPInterface -InterfaceAlias %s -AddressFamily "+
				"IPv4 -Dhcp Enabled }", key, p.variable)}})
	}
	key := must("address " + p.ID)
	r.add(step{source: msCmdlets, why: "address on link " + p.Link,
		keep: []string{fmt.Sprintf("Keep %s (@(Get-NetIPAddress -IPAddress %s -ErrorAction SilentlyContinue).Count -gt 0)",
			key, at)},
		apply: []string{fmt.Sprintf("if (@(Get-NetIPAddress -InterfaceAlias %s -IPAddress %s -ErrorAction "+
			"SilentlyContinue).Count -eq 0) { New-NetIPAddress -InterfaceAlias %s -IPAddress %s -PrefixLength %d | Out-Null }",
			p.variable, at, p.variable, at, bits)},
		verify: []check{
			{fmt.Sprintf("%s: address %s is not there", p.ID, p.Address),
				fmt.Sprintf("@(Get-NetIPAddress -IPAddress %s -ErrorAction SilentlyContinue | Where-Object { $_.PrefixLength "+
					"-eq %d }).Count -gt 0", at, bits)},
			{fmt.Sprintf("%s: the interface's MTU is below %d", p.ID, p.MTU),
				fmt.Sprintf("(Get-NetIPAddress -IPAddress %s | Get-NetIPInterface -AddressFamily %s).NlMtu -ge %d", at, family,
					p.MTU)},
		},
		undo: []string{fmt.Sprintf("if (-not $state[%s]) { Get-NetIPAddress -IPAddress %s -ErrorAction SilentlyContinue | "+
			"Remove-NetIPAddress -Confirm:$false }", key, at)}})
}

// kept returns the adapter as an expression for the time before any change, when a bond's adapter is missing.
func (p *port) kept() string {
	if p.team {
		return p.virtual()
	}
	return p.variable
}

// teams adds the bonds.
func (r *render) teams() {
	for _, b := range r.h.Decl.Bonds {
		members, team := "", (*port)(nil)
		for _, p := range r.ports {
			if p.bond == b.Name {
				members += ", " + p.variable
			}
			if p.team && p.NIC == b.Name {
				team = p
			}
		}
		if members == "" || team == nil {
			continue
		}
		name := must(b.Name)
		if b.Mode != "set" {
			r.add(step{source: msHyperV, why: "the adapter of bond " + b.Name,
				apply: []string{fmt.Sprintf("%s = %s", team.variable, team.virtual())}})
			continue
		}
		key := must("team " + b.Name)
		r.add(step{source: msHyperV, why: "bond " + b.Name + ": a switch of Hyper-V with embedded teaming (SET); its " +
			"address is on the virtual adapter",
			keep: []string{fmt.Sprintf("Keep %s (@(Get-VMSwitch -Name %s -ErrorAction SilentlyContinue).Count -gt 0)", key,
				name)},
			apply: []string{
				fmt.Sprintf("if (@(Get-VMSwitch -Name %s -ErrorAction SilentlyContinue).Count -eq 0) { New-VMSwitch -Name %s "+
					"-NetAdapterName @(%s) -EnableEmbeddedTeaming $true -AllowManagementOS $true | Out-Null }", name, name,
					members[2:]),
				fmt.Sprintf("%s = %s", team.variable, team.virtual()),
				fmt.Sprintf("Set-Property %s '*JumboPacket' %s", team.variable, strconv.Itoa(team.MTU+headerBytes)),
			},
			verify: []check{{"bond " + b.Name + " is not there",
				fmt.Sprintf("@(Get-VMSwitch -Name %s -ErrorAction SilentlyContinue | Where-Object { $_.EmbeddedTeamingEnabled "+
					"}).Count -gt 0", name)}},
			undo: []string{fmt.Sprintf("if (-not $state[%s]) { Remove-VMSwitch -Name %s -Force }", key, name)}})
		if r.uses("rocev1", "rocev2", "iwarp") {
			r.add(step{source: msHyperV, why: "RDMA over bond " + b.Name + " goes through its virtual adapter",
				apply:  []string{"Enable-NetAdapterRdma -Name " + team.variable},
				verify: []check{{team.ID + ": RDMA is off", fmt.Sprintf("(Get-NetAdapterRdma -Name %s).Enabled", team.variable)}}})
		}
		r.d.Manual = append(r.d.Manual, config.Line{Text: "Have the Hyper-V role: Install-WindowsFeature -Name Hyper-V " +
			"-IncludeManagementTools, and restart", Why: "bond " + b.Name + " is a switch of Hyper-V", Source: msHyperV})
	}
}
