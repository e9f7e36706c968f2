package read

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// asked prints the meaning of a script on one line.
func asked(t *testing.T, text string) string {
	t.Helper()
	f := testenv.Must(Parse([]byte("-- apply.ps1 --\n" + text)))(t)
	if len(f.Unknown) > 0 {
		return f.Unknown[0].Reason
	}
	p := f.Windows.Policy
	var marks []string
	for _, m := range p.AskedMarks {
		marks = append(marks, fmt.Sprintf("%s %s>%d", m.Name, m.Match, m.Priority.Or(-1)))
	}
	queues := []string{}
	for class := range len(p.Asked.Queues) {
		queues = append(queues, fmt.Sprintf("%.0f", p.Asked.Queues[class].Weight.Or(0)))
	}
	var nics []string
	for _, n := range f.NICs {
		if n.Asked == p.Asked {
			nics = append(nics, n.Name)
		}
	}
	return fmt.Sprintf("pfc %v willing %v queues %s priorities %v marks %v ports %v adapters %v",
		p.Asked.PFCReceive.Or(nil), p.Asked.Willing.Or(true), strings.Join(queues, "/"), p.Asked.Priorities, marks, p.Ports,
		nics)
}

func TestQosScript(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"as Microsoft has it", `Set-NetQosDcbxSetting -InterfaceAlias "SLOT 3" -Willing $false -Confirm:$false
New-NetQosPolicy "SMB" -NetDirectPortMatchCondition 445 -PriorityValue8021Action 3   # SMB Direct
Enable-NetQosFlowControl -Priority 3
Disable-NetQosFlowControl -Priority 0,1,2,4,5,6,7
New-NetQosTrafficClass "SMB" -Priority 3 -BandwidthPercentage 60 -Algorithm ETS
Enable-NetAdapterQos -Name "SLOT 3"
`, "pfc [3] willing false queues 40/60 priorities map[0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0] marks [SMB smb-direct>3] " +
			"ports [] adapters [SLOT 3]"},
		{"in the words of a session", "PS C:\\> enable-netqosflowcontrol 3,4; disable-netqosflowcontrol -priority " +
			"4\nSet-NetQosDcbxSetting -Willing:$True `\n  -Confirm:$false\n",
			"pfc [3] willing true queues  priorities map[] marks [] ports [] adapters []"},
		{"a variable", "$nic = 'it''s 2'\nif ($x) { Enable-NetAdapterQos -Name $nic }\nNew-NetQosTrafficClass -Name 'a' " +
			"-Priority 1,5 -Bandwidth 30 -Algorithm ETS | Out-Null\n",
			"pfc [] willing true queues 70/30 priorities map[0:0 1:1 2:0 3:0 4:0 5:1 6:0 7:0] marks [] ports [] adapters " +
				"[it's 2]"},
		{"undone", "New-NetQosTrafficClass -Name a -Priority 1 -BandwidthPercentage 30\nRemove-NetQosTrafficClass " +
			"-Name a -Confirm:$false\nEnable-NetQosFlowControl 3\nDisable-NetQosFlowControl 3\n",
			"pfc [] willing true queues  priorities map[] marks [] ports [] adapters []"},
		{"nothing of it", "Get-NetAdapter -Name x\n",
			"there is no command of DCB in it (New-NetQosPolicy, Enable-NetQosFlowControl, New-NetQosTrafficClass, " +
				"Set-NetQosDcbxSetting)"},
	} {
		if got := asked(t, c.text); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// TestRenderedQosScript: linerate's script for a plan has the plan's classes when it is parsed.
func TestRenderedQosScript(t *testing.T) {
	for folder, want := range map[string]string{
		"roce-100g-pc": "pfc [3] willing false queues 40/60 priorities map[0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0] marks [roce " +
			"smb-direct>3] ports [pc.cx5.1] adapters []",
	} {
		text := testenv.Must(os.ReadFile(filepath.Join("../../device/windows/render/testdata", folder, "apply.ps1")))(t)
		if got := asked(t, string(text)); got != want {
			t.Errorf("%s: %s", folder, got)
		}
		if source, ok := Recognise("mine.txt", text); !ok || source != "apply.ps1" {
			t.Errorf("%s: recognised as %q", folder, source)
		}
	}
}
