package render

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// dialects are the values that pin SMB's dialect.
var dialects = map[string]int{"2.0.2": 0x202, "2.1": 0x210, "3.0": 0x300, "3.0.2": 0x302, "3.1.1": 0x311}

// smb adds the host's settings of SMB and TCP (settings: in the file). The plan reports unknown keys and values.
func (r *render) smb() {
	settings := r.h.Decl.Settings
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		value := settings[key]
		switch key {
		case "smb-dialect":
			n := dialects[value]
			why := fmt.Sprintf("SMB %s and no other dialect; undo deletes the values again", value)
			r.registry(why, "MinSMB2Dialect", n)
			r.registry(why, "MaxSMB2Dialect", n)
		case "smb-multichannel":
			r.multichannel(on(value))
		case "smb-rdma-connections":
			n, _ := strconv.Atoi(value)
			r.registry(fmt.Sprintf("%d connections on each RDMA interface (Windows' own: 2)", n),
				"ConnectionCountPerRdmaNetworkInterface", n)
		case "ecn":
			r.ecn(on(value))
		case "networkdirect-across-subnets":
			want := map[string]string{"allow": "Allowed", "allowed": "Allowed", "on": "Allowed", "true": "Allowed",
				"block": "Blocked", "blocked": "Blocked", "off": "Blocked", "false": "Blocked"}[value]
			r.add(step{source: msCmdlets, why: "SMB Direct across IP subnets: " + value,
				keep:  []string{"Keep 'acrosssubnets' ([string](Get-NetOffloadGlobalSetting).NetworkDirectAcrossIPSubnets)"},
				apply: []string{"Set-NetOffloadGlobalSetting -NetworkDirectAcrossIPSubnets " + want},
				verify: []check{{"NetworkDirectAcrossIPSubnets is not " + want,
					"[string](Get-NetOffloadGlobalSetting).NetworkDirectAcrossIPSubnets -eq '" + want + "'"}},
				undo: []string{"Set-NetOffloadGlobalSetting -NetworkDirectAcrossIPSubnets $state['acrosssubnets']"}})
		}
	}
}

// on reports whether a value of on and off, which the plan has checked, is on.
func on(s string) bool { return s == "on" || s == "true" || s == "yes" }

// registry sets a value of the SMB client; undo sets the old one, or deletes it if there was none.
func (r *render) registry(why, name string, value int) {
	key := must("smb " + name)
	r.add(step{source: document, why: why,
		keep: []string{fmt.Sprintf("Keep %s ((Get-Item -Path $smbClient).GetValue('%s', $null))", key, name)},
		apply: []string{fmt.Sprintf("Set-ItemProperty -Path $smbClient -Name '%s' -Type DWord -Value %s", name,
			number(value))},
		verify: []check{{fmt.Sprintf("%s is not %s", name, number(value)),
			fmt.Sprintf("(Get-Item -Path $smbClient).GetValue('%s', $null) -eq %s", name, number(value))}},
		undo: []string{fmt.Sprintf("if ($null -ne $state[%s]) { Set-ItemProperty -Path $smbClient -Name '%s' -Type DWord "+
			"-Value $state[%s] } else { Remove-ItemProperty -Path $smbClient -Name '%s' -ErrorAction SilentlyContinue }",
			key, name, key, name)}})
}

// number writes a dialect in the usual hexadecimal, and other numbers in decimal.
func number(n int) string {
	if n >= 0x200 {
		return fmt.Sprintf("0x%X", n)
	}
	return strconv.Itoa(n)
}

func (r *render) multichannel(on bool) {
	value := map[bool]string{true: "$true", false: "$false"}[on]
	for _, side := range []string{"Server", "Client"} {
		key := must("multichannel " + side)
		r.add(step{source: document, why: "SMB Multichannel, which finds the RDMA interfaces",
			keep:  []string{fmt.Sprintf("Keep %s ([bool](Get-Smb%sConfiguration).EnableMultiChannel)", key, side)},
			apply: []string{fmt.Sprintf("Set-Smb%sConfiguration -EnableMultiChannel %s -Confirm:$false", side, value)},
			verify: []check{{"SMB " + side + ": multichannel is not " + value[1:],
				fmt.Sprintf("(Get-Smb%sConfiguration).EnableMultiChannel -eq %s", side, value)}},
			undo: []string{fmt.Sprintf("Set-Smb%sConfiguration -EnableMultiChannel $state[%s] -Confirm:$false", side, key)}})
	}
}

func (r *render) ecn(on bool) {
	word := map[bool]string{true: "enabled", false: "disabled"}[on]
	r.add(step{source: document, why: "ECN of TCP (servers have it on); RDMA's own marks do not hang on it",
		keep:  []string{"Keep 'ecn' ([string](Get-NetTCPSetting -SettingName Internet).EcnCapability)"},
		apply: []string{"netsh int tcp set global ecncapability=" + word + " | Out-Null"},
		verify: []check{{"ECN of TCP is not " + word,
			"[string](Get-NetTCPSetting -SettingName Internet).EcnCapability -eq '" + word + "'"}},
		undo: []string{"netsh int tcp set global ecncapability=$($state['ecn'].ToLower()) | Out-Null"}})
}

// storage starts the iSCSI initiator if an experiment of the file connects to targets from this host.
func (r *render) storage() {
	for _, e := range r.p.Fabric.Experiments {
		if slices.Contains(e.Parameter("transport"), "iscsi") && slices.Contains(e.From, r.h.Name) {
			r.add(step{source: msCmdlets, why: "experiment " + e.Name + " reaches its storage over iSCSI",
				keep:   []string{"Keep 'msiscsi' ([string](Get-Service -Name MSiSCSI).StartType)"},
				apply:  []string{"Set-Service -Name MSiSCSI -StartupType Automatic", "Start-Service -Name MSiSCSI"},
				verify: []check{{"the iSCSI initiator does not run", "[string](Get-Service -Name MSiSCSI).Status -eq 'Running'"}},
				undo:   []string{"Set-Service -Name MSiSCSI -StartupType $state['msiscsi']"}})
			r.d.Miss("iSCSI targets and sessions: their names are not in the fabric file; add them with iscsicpl once the " +
				"initiator runs")
			return
		}
	}
}
