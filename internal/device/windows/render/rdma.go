package render

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/device"
	"linerate/internal/device/config"
)

// uses reports whether any port of the host has one of these transports.
func (r *render) uses(transports ...string) bool {
	return slices.ContainsFunc(r.ports, func(p *port) bool {
		c := r.nic(p.Port)
		return c != nil && slices.Contains(transports, c.RDMA)
	})
}

// classesApply reports whether any port of the host carries the fabric's classes.
func (r *render) classesApply() bool { return slices.ContainsFunc(r.ports, r.carriesQoS) }

// features enables the features of Windows that the plan needs.
func (r *render) features() {
	if r.classesApply() {
		if r.edition != server {
			r.d.Manual = append(r.d.Manual, config.Line{Text: "On a desktop edition: turn on Data Center Bridging in \"Turn " +
				"Windows features on or off\" and restart",
				Why: "Install-WindowsFeature is only there on servers; apply.ps1 ends before it changes anything if it is " +
					"missing",
				Source: document})
			r.add(step{early: true, source: document,
				why: "Data Center Bridging has to be turned on by hand on a desktop edition",
				keep: []string{r.when(desktop, "if (-not (Get-Command -Name Get-NetQosFlowControl -ErrorAction "+
					"SilentlyContinue)) { throw 'nothing was changed: turn on Data Center Bridging in \"Turn Windows features on "+
					"or off\", restart, and run apply.ps1 again' }")}})
		}
		if l := r.when(server, "if (-not (Get-WindowsFeature -Name Data-Center-Bridging).Installed) { if "+
			"((Install-WindowsFeature -Name Data-Center-Bridging -IncludeManagementTools).RestartNeeded -ne 'No') { $restart "+
			"= $true } }"); l != "" {
			r.add(step{early: true, source: msDCB, why: "PFC and ETS are done by Data Center Bridging",
				keep:  []string{r.when(server, "Keep 'dcb' ([bool](Get-WindowsFeature -Name Data-Center-Bridging).Installed)")},
				apply: []string{l},
				verify: []check{{"Data Center Bridging is not installed",
					"[bool](Get-Command -Name Get-NetQosFlowControl -ErrorAction SilentlyContinue)"}},
				undo: []string{r.when(server, "if (-not $state['dcb']) { Uninstall-WindowsFeature -Name Data-Center-Bridging | "+
					"Out-Null }")}})
		}
	}
	if r.uses("rocev1", "rocev2", "iwarp") && r.edition != server {
		r.add(step{early: true, source: document, why: "SMB Direct is a feature of its own on desktop editions",
			keep: []string{r.when(desktop, "Keep 'smbdirect' ([string](Get-WindowsOptionalFeature -Online -FeatureName "+
				"SMBDirect).State)")},
			apply: []string{r.when(desktop, "if ([string](Get-WindowsOptionalFeature -Online -FeatureName SMBDirect).State "+
				"-ne 'Enabled') { if ((Enable-WindowsOptionalFeature -Online -FeatureName SMBDirect -NoRestart).RestartNeeded) "+
				"{ $restart = $true } }")},
			verify: []check{{"SMB Direct is off", r.when(desktop,
				"[string](Get-WindowsOptionalFeature -Online -FeatureName SMBDirect).State -eq 'Enabled'") + r.elseTrue(desktop)}},
			undo: []string{r.when(desktop, "if ($state['smbdirect'] -ne 'Enabled') { Disable-WindowsOptionalFeature -Online "+
				"-FeatureName SMBDirect -NoRestart | Out-Null }")}})
		r.d.Unverified = append(r.d.Unverified,
			"which desktop editions have SMB Direct: the roce-100g document says all but Home, others say Pro for "+
				"Workstations, Enterprise and Education; if the feature is not there, apply.ps1 ends before it changes anything")
	}
}

// elseTrue completes a check that applies only to one edition of Windows.
func (r *render) elseTrue(e edition) string {
	if r.edition == e {
		return ""
	}
	return " else { $true }"
}

// rdma enables RDMA for the whole machine.
func (r *render) rdma() {
	if !r.uses("rocev1", "rocev2", "iwarp") {
		return
	}
	r.add(step{source: document, why: "RDMA (NetworkDirect) for the whole machine",
		keep:   []string{"Keep 'networkdirect' ([string](Get-NetOffloadGlobalSetting).NetworkDirect)"},
		apply:  []string{"Set-NetOffloadGlobalSetting -NetworkDirect Enabled"},
		verify: []check{{"NetworkDirect is off", "[string](Get-NetOffloadGlobalSetting).NetworkDirect -eq 'Enabled'"}},
		undo:   []string{"Set-NetOffloadGlobalSetting -NetworkDirect $state['networkdirect']"}})
	for _, p := range r.ports {
		// SMB sees a bond's virtual adapter, not its members.
		if c := r.nic(p.Port); c != nil && technology[c.RDMA] > 0 && p.bond == "" || p.team {
			r.add(step{source: document, why: "SMB uses RDMA only on adapters that it sees as such",
				verify: []check{{p.ID + ": SMB does not see an adapter that can do RDMA",
					fmt.Sprintf("@(Get-SmbClientNetworkInterface | Where-Object { $_.FriendlyName -eq %s -and $_.RdmaCapable "+
						"}).Count -gt 0", p.variable)}}})
		}
	}
}

// qos adds the fabric's classes.
func (r *render) qos() {
	if !r.classesApply() {
		return
	}
	r.add(step{source: msDCB, why: "the policy of this host counts, not what a switch announces; the plan gives both " +
		"the same",
		keep:   []string{"Keep 'willing' ([bool](Get-NetQosDcbxSetting).Willing)"},
		apply:  []string{"Set-NetQosDcbxSetting -Willing $false -Confirm:$false"},
		verify: []check{{"Willing is true", "-not (Get-NetQosDcbxSetting).Willing"}},
		undo:   []string{"Set-NetQosDcbxSetting -Willing $state['willing'] -Confirm:$false"}})
	for _, c := range r.q.Classes {
		r.class(c)
	}
	r.pauses()
	for _, p := range r.ports {
		if !r.carriesQoS(p) {
			continue
		}
		key := must("qos " + p.ID)
		r.add(step{source: msDCB, why: "the classes on port " + p.ID,
			keep: []string{fmt.Sprintf("Keep %s ([bool](Get-NetAdapterQos -Name %s).Enabled)", key, p.variable)},
			apply: []string{fmt.Sprintf("Set-NetQosDcbxSetting -InterfaceAlias %s -Willing $false -Confirm:$false", p.variable),
				"Enable-NetAdapterQos -Name " + p.variable},
			verify: []check{
				{p.ID + ": QoS is off", fmt.Sprintf("(Get-NetAdapterQos -Name %s).Enabled", p.variable)},
				{p.ID + ": Willing is true", fmt.Sprintf("-not (Get-NetQosDcbxSetting -InterfaceAlias %s).Willing", p.variable)},
			},
			undo: []string{fmt.Sprintf("if (-not $state[%s]) { Disable-NetAdapterQos -Name %s }", key, p.variable)}})
	}
	r.d.Unverified = append(r.d.Unverified, "the DSCP of RDMA packets is chosen by the NIC's driver out of their "+
		"priority (NVIDIA's WinOF-2 does so); no documented command sets it here. After applying, look on the switch "+
		"whether the lossless queue counts packets; if it does not, read the DSCP that arrives and write it into the class "+
		"(dscp:)")
}

// class adds the policy that sorts traffic into a class, and its share.
func (r *render) class(c device.Class) {
	// Windows' own class gets the share that the others leave. The NIC's firmware sends notifications, which the plan
	// reports.
	if c.Default || c.CNP || c.Strict {
		return
	}
	name := must(c.Name)
	if match, ok := matches[c.Match]; ok {
		r.add(step{source: msDCB, why: fmt.Sprintf("class %s: %s gets priority %d", c.Name, c.Match, c.Priority),
			apply: []string{
				fmt.Sprintf("Get-NetQosPolicy -Name %s -ErrorAction SilentlyContinue | Remove-NetQosPolicy -Confirm:$false", name),
				fmt.Sprintf("New-NetQosPolicy -Name %s %s -PriorityValue8021Action %d | Out-Null", name, match, c.Priority)},
			verify: []check{{"class " + c.Name + " has no policy with priority " + fmt.Sprint(c.Priority),
				fmt.Sprintf("@(Get-NetQosPolicy -Name %s -ErrorAction SilentlyContinue | Where-Object { "+
					"[int]$_.PriorityValue8021Action -eq %d }).Count -gt 0", name, c.Priority)}},
			undo: []string{fmt.Sprintf("Get-NetQosPolicy -Name %s -ErrorAction SilentlyContinue | Remove-NetQosPolicy "+
				"-Confirm:$false", name)}})
	}
	r.add(step{source: msDCB, why: fmt.Sprintf("class %s: %d %% of the link (ETS), as on the switch", c.Name, c.Percent),
		keep: []string{fmt.Sprintf("if (@(Get-NetQosTrafficClass | Where-Object { $_.Name -ne '[Default]' -and $_.Name "+
			"-ne %s -and @($_.Priority) -contains %d }).Count -gt 0) { throw %s }", name, c.Priority,
			must(fmt.Sprintf("nothing was changed: another traffic class has priority %d; see Get-NetQosTrafficClass, take "+
				"it away with Remove-NetQosTrafficClass", c.Priority)))},
		apply: []string{
			fmt.Sprintf("Get-NetQosTrafficClass -Name %s -ErrorAction SilentlyContinue | Remove-NetQosTrafficClass "+
				"-Confirm:$false", name),
			fmt.Sprintf("New-NetQosTrafficClass -Name %s -Priority %d -BandwidthPercentage %d -Algorithm ETS | Out-Null", name,
				c.Priority, c.Percent)},
		verify: []check{{fmt.Sprintf("class %s does not have %d %% by ETS", c.Name, c.Percent),
			fmt.Sprintf("@(Get-NetQosTrafficClass -Name %s -ErrorAction SilentlyContinue | Where-Object { "+
				"$_.BandwidthPercentage -eq %d -and [string]$_.Algorithm -eq 'ETS' }).Count -gt 0", name, c.Percent)}},
		undo: []string{fmt.Sprintf("Get-NetQosTrafficClass -Name %s -ErrorAction SilentlyContinue | "+
			"Remove-NetQosTrafficClass -Confirm:$false", name)}})
}

// matches are the filters of New-NetQosPolicy: SMB Direct by its port, iSCSI by the built-in filter.
var matches = map[string]string{"smb-direct": "-NetDirectPortMatchCondition 445", "iscsi": "-iSCSI"}

// pauses enables PFC for the lossless classes and disables it for all others.
func (r *render) pauses() {
	on := r.q.Lossless()
	list := cmp.Or(config.Numbers(on, ", "), "(none)")
	var off []int
	for i := range 8 {
		if !slices.Contains(on, i) {
			off = append(off, i)
		}
	}
	s := step{source: msDCB, why: "PFC on priority " + list + " alone",
		keep: []string{"Keep 'pfc' @(Get-NetQosFlowControl | Where-Object { $_.Enabled } | ForEach-Object { " +
			"[int]$_.Priority })"},
		undo: []string{"Disable-NetQosFlowControl -Priority 0,1,2,3,4,5,6,7",
			"if (@($state['pfc']).Count -gt 0) { Enable-NetQosFlowControl -Priority @($state['pfc']) }"}}
	if len(on) > 0 {
		s.apply = append(s.apply, "Enable-NetQosFlowControl -Priority "+config.Numbers(on, ","))
	}
	if len(off) > 0 {
		s.apply = append(s.apply, "Disable-NetQosFlowControl -Priority "+config.Numbers(off, ","))
	}
	s.verify = []check{{"PFC is not on for priority " + list + " alone",
		fmt.Sprintf("(@(Get-NetQosFlowControl | Where-Object { $_.Enabled } | ForEach-Object { [int]$_.Priority } | "+
			"Sort-Object) -join ',') -eq '%s'", config.Numbers(on, ","))}}
	for _, p := range r.ports {
		if r.carriesQoS(p) && len(on) == 1 {
			s.verify = append(s.verify, check{p.ID + ": PFC is not in effect; look at OperationalFlowControl in " +
				"Get-NetAdapterQos",
				fmt.Sprintf("[string](Get-NetAdapterQos -Name %s | Out-String) -match 'OperationalFlowControl\\s*:\\s*Priority "+
					"%s Enabled'", p.variable, config.Numbers(on, ","))})
		}
	}
	r.add(s)
}
