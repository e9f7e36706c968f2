package render

import (
	"regexp"
	"strings"
	"testing"
)

// TestDocument: the roce-100g document describes a working network with eleven flaws. Each case has texts that the
// configuration of its plan must and must not contain, and the output of --explain or the README about it.
func TestDocument(t *testing.T) {
	s := Render(planned(t, "../../../examples/roce-100g.yaml"))
	type text struct{ apply, verify, undo, explain string }
	texts := map[string]text{}
	for name, ending := range map[string]string{"crs504": ".rsc", "nas": ".ps1", "pc": ".ps1"} {
		d := s.Device(name)
		if d == nil {
			t.Fatalf("%s is not rendered: %v", name, s.Refused)
		}
		texts[name] = text{d.File("apply" + ending).Text(), d.File("verify" + ending).Text(), d.File("undo" + ending).Text(),
			strings.Join(Explain(d), "\n")}
	}
	sw := texts["crs504"]
	ports := regexp.MustCompile(`(?m)^/interface ethernet switch qos port set (qsfp28-\d-\d) (.*)$`).
		FindAllStringSubmatch(sw.apply, -1)
	queues := regexp.MustCompile(`(?m)^/interface ethernet switch qos tx-manager queue set \[find where traffic-class=(\d)\] (.*)$`).
		FindAllStringSubmatch(sw.apply, -1)
	if len(ports) != 12 || len(queues) < 4 {
		t.Fatalf("%d interfaces of three cages, %d lines of queues", len(ports), len(queues))
	}
	has := func(t *testing.T, where, text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not say %s", where, w)
			}
		}
	}
	hasNot := func(t *testing.T, where, text string, unwanted ...string) {
		t.Helper()
		for _, w := range unwanted {
			if strings.Contains(text, w) {
				t.Errorf("%s says %s", where, w)
			}
		}
	}
	windows := func(t *testing.T, check func(t *testing.T, x text)) {
		for _, name := range []string{"nas", "pc"} {
			t.Run(name, func(t *testing.T) { check(t, texts[name]) })
		}
	}
	for _, c := range []struct {
		finding string
		check   func(t *testing.T)
	}{
		{"F1 the port's profile forced on all traffic", func(t *testing.T) {
			for _, p := range ports {
				has(t, p[1], p[2], "trust-l3=keep", "profile=default")
				hasNot(t, p[1], p[2], "profile=roce", "trust-l3=ignore")
				has(t, "verify.rsc", sw.verify, `name="`+p[1]+`" profile=default trust-l2=ignore trust-l3=keep`)
			}
			has(t, "--explain", sw.explain, "would be forced on all traffic", "the roce-100g document set trust-l3=keep and "+
				"printed ignore")
		}},
		{"F2 no map for DSCP 26", func(t *testing.T) {
			has(t, "apply.rsc", sw.apply, `profile add name="roce" dscp=26 pcp=3 traffic-class=3`,
				`map ip add dscp=26 profile="roce"`)
			has(t, "verify.rsc", sw.verify, `map ip find where dscp=26 profile="roce"`)
			has(t, "--explain", sw.explain, "without this row DSCP 26 falls to the profile default")
		}},
		{"F3 no class for congestion notifications", func(t *testing.T) {
			has(t, "apply.rsc", sw.apply, `profile add name="cnp" dscp=48 pcp=6 traffic-class=6`,
				`map ip add dscp=48 profile="cnp"`, "[find where traffic-class=6] schedule=strict-priority")
			has(t, "apply.rsc", sw.apply, `name="pfc-tc3" traffic-class=3 rx=yes tx=yes`) // and no other class
			has(t, "--explain", sw.explain, "they have to overtake what they are to slow down")
		}},
		{"F4 ECN on the tx-manager marks ordinary traffic", func(t *testing.T) {
			if regexp.MustCompile(`tx-manager set`).MatchString(sw.apply) {
				t.Error("apply.rsc sets the tx-manager")
			}
			marked := map[string]string{}
			for _, q := range queues {
				if m := regexp.MustCompile(`\becn=(yes|no)`).FindStringSubmatch(q[2]); m != nil {
					marked[q[1]] = m[1]
				}
			}
			if marked["1"] != "no" || marked["3"] != "yes" || marked["6"] != "no" {
				t.Errorf("ECN by queue: %v", marked)
			}
			// 7.17 beta, which does not support it, has to be updated, and apply.rsc stops before it changes anything.
			has(t, "--explain", sw.explain, "by hand: Update RouterOS to 7.17", "ECN can only be set on the tx-manager")
			has(t, "apply.rsc", sw.apply, `[/system resource get version] ~ "^7\\.(1[7-9]|2[0-2])(\$|[ .])"`)
		}},
		{"F5 strict precedence instead of shares", func(t *testing.T) {
			hasNot(t, "apply.rsc", sw.apply, "low-priority-group")
			has(t, "apply.rsc", sw.apply, "[find where traffic-class=1] schedule=high-priority-group weight=2",
				"[find where traffic-class=3] schedule=high-priority-group weight=3")
			has(t, "--explain", sw.explain, "60 % of the link", "40 % of the link")
		}},
		{"F6 the rate on all interfaces of a cage", func(t *testing.T) {
			for _, p := range ports {
				has(t, p[1], p[2], "egress-rate-queue3=100.0Gbps")
			}
			has(t, "--explain", sw.explain, "PFC is obeyed only with an egress rate", "what it does while the cage runs as "+
				"one port depends on the chip and is not documented")
		}},
		{"F7 Willing", func(t *testing.T) {
			windows(t, func(t *testing.T, x text) {
				has(t, "apply.ps1", x.apply, "Set-NetQosDcbxSetting -Willing $false -Confirm:$false", "Set-NetQosDcbxSetting "+
					"-InterfaceAlias $nic_cx5_1 -Willing $false")
				hasNot(t, "apply.ps1", strings.ToLower(x.apply), "-willing $true")
				has(t, "verify.ps1", x.verify, "-not (Get-NetQosDcbxSetting).Willing")
				has(t, "--explain", x.explain, "the policy of this host counts")
			})
		}},
		{"F8 the pinned dialect", func(t *testing.T) {
			windows(t, func(t *testing.T, x text) {
				has(t, "apply.ps1", x.apply, "'MinSMB2Dialect' -Type DWord -Value 0x311", "'MaxSMB2Dialect' -Type DWord -Value "+
					"0x311")
				has(t, "undo.ps1", x.undo, "Remove-ItemProperty -Path $smbClient -Name 'MinSMB2Dialect'", "Remove-ItemProperty "+
					"-Path $smbClient -Name 'MaxSMB2Dialect'")
				has(t, "--explain", x.explain, "SMB 3.1.1 and no other dialect; undo deletes the values again")
			})
		}},
		{"F9 the transport left to the user", func(t *testing.T) {
			windows(t, func(t *testing.T, x text) {
				has(t, "apply.ps1", x.apply, "Set-Property $nic_cx5_1 '*NetworkDirectTechnology' 4")
				has(t, "verify.ps1", x.verify, "NetworkDirect Technology is not rocev2")
				has(t, "--explain", x.explain, "rocev2, the transport of the plan, on both ends")
			})
		}},
		{"F10 lldp-dcbx needs a release", func(t *testing.T) {
			has(t, "apply.rsc", sw.apply, "/ip neighbor discovery-settings set lldp-dcbx=yes")
			has(t, "--explain", sw.explain, "lldp-dcbx begins with 7.17", "from RouterOS 7.17 on")
		}},
		{"F11 WRED on the lossless queue", func(t *testing.T) {
			has(t, "apply.rsc", sw.apply, "[find where traffic-class=3] use-shared-buffers=yes wred=no ecn=yes")
			has(t, "verify.rsc", sw.verify, "traffic-class=3 use-shared-buffers=yes wred=no ecn=yes", "tx-manager queue print")
			has(t, "--explain", sw.explain, "never dropped early (WRED)", "Whether ecn=yes also shows WRED-ACTUAL yes on "+
				"this chip is not documented")
		}},
	} {
		t.Run(c.finding, c.check)
	}
}
