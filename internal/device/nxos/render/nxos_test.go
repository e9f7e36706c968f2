package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/design/fabric"
	"linerate/internal/device/dcb"
	"linerate/internal/device/dcb/dcbtest"
)

var family = dcbtest.Family{OS: "nxos", Version: "10.4(3)", Commands: "apply.txt", Switch: Switch}

// TestClasses: every class has a group with its number, notifications have the queue that is served first, and the
// group of a lossless class is paused.
func TestClasses(t *testing.T) {
	_, got, _ := family.One(t, func(f *fabric.Fabric) { f.Classes[0].Share = 0.6 })
	_, got, _ = strings.Cut(got, "configure terminal\n")
	got, _, _ = strings.Cut(got, "interface ")
	want := `class-map type qos match-any LINERATE-3
  match dscp 26
class-map type qos match-any LINERATE-7
  match dscp 48
policy-map type qos LINERATE-CLASSES
  class LINERATE-3
    set qos-group 3
  class LINERATE-7
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type network-qos LINERATE-NETWORK
  class type network-qos c-8q-nq-default
    mtu 9216
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq7
    mtu 9216
policy-map type queuing LINERATE-QUEUES
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 300 kbytes maximum-threshold 300 kbytes drop-probability 100 weight 0 ecn
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q1
    bandwidth remaining percent 0
  class type queuing c-out-8q-q2
    bandwidth remaining percent 0
  class type queuing c-out-8q-q4
    bandwidth remaining percent 0
  class type queuing c-out-8q-q5
    bandwidth remaining percent 0
  class type queuing c-out-8q-q6
    bandwidth remaining percent 0
system qos
  service-policy type queuing output LINERATE-QUEUES
  service-policy type network-qos LINERATE-NETWORK
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSortedByTag: with trust: pcp a class is sorted by its priority, whatever its group.
func TestSortedByTag(t *testing.T) {
	_, text, _ := family.One(t, func(f *fabric.Fabric) { f.Trust = "pcp" })
	for _, want := range []string{"LINERATE-3\n  match cos 3\n", "LINERATE-7\n  match cos 6\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "match dscp") {
		t.Error(text)
	}
}

func TestRefused(t *testing.T) {
	family.Refused(t, "NX-OS sorts by DSCP", func(f *fabric.Fabric) { f.Trust = "port" })
	family.Refused(t, "the group 0", func(f *fabric.Fabric) { f.Classes[0].Priority = 0 })
	family.Refused(t, "queue 7 first", func(f *fabric.Fabric) { f.Classes[0].Priority = 7 })
}

func TestMTU(t *testing.T) {
	for mtu, want := range map[int]bool{1500: false, 1501: true, 9000: true, 9216: true, 9217: false} {
		d, text, _ := family.One(t, func(f *fabric.Fabric) { f.MTU = mtu })
		if port := strings.Contains(text, "\n  mtu 9216\n"); port != want {
			t.Errorf("MTU %d: set on the port: %v, want %v\n%s", mtu, port, want, text)
		}
		if group := strings.Contains(text, "\n    mtu 9216\n"); group != want {
			t.Errorf("MTU %d: set on the groups: %v, want %v", mtu, group, want)
		}
		if named := strings.Contains(strings.Join(d.Missing, "\n"), "MTU"); named != (mtu > 9216) {
			t.Errorf("MTU %d: %v", mtu, d.Missing)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		index, lane int
		want        string
	}{{1, 0, "Ethernet1/1"}, {54, 0, "Ethernet1/54"}, {5, 2, "Ethernet1/5/2"}} {
		_, text, _ := family.One(t, func(f *fabric.Fabric) {
			f.Links[0].Ends[1].Index, f.Links[0].Ends[1].Lane = c.index,
				c.lane
		})
		if !strings.Contains(text, "\ninterface "+c.want+"\n") {
			t.Errorf("port %d/%d: no interface %s in\n%s", c.index, c.lane, c.want, text)
		}
	}
}

// TestPFC: PFC is on whatever the neighbour announces, the switch announces it if configured to, and a port to another
// switch has the watchdog.
func TestPFC(t *testing.T) {
	_, text, _ := family.One(t, func(f *fabric.Fabric) { f.DCBX = "none" })
	if !strings.Contains(text, "\n  priority-flow-control mode on\n") || strings.Contains(text, "watch-dog") {
		t.Error(text)
	}
	_, text, _ = family.One(t, func(f *fabric.Fabric) {
		f.DCBX = "switch"
		f.Switches = append(f.Switches, &fabric.Switch{Name: "s2", OS: "nxos"})
		f.Links[0].Ends[0] = fabric.Port{Switch: "s2", Index: 1}
	})
	for _, want := range []string{"  priority-flow-control mode on send-tlv\n",
		"  priority-flow-control watch-dog-interval on\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	_, text, _ = family.One(t, func(f *fabric.Fabric) { f.Classes[0].Lossless = false })
	if strings.Contains(text, "priority-flow-control") || strings.Contains(text, "pause") {
		t.Error(text)
	}
}

// TestUndo: the commands of apply are undone, the ports before the objects that they use.
func TestUndo(t *testing.T) {
	d, _, _ := family.One(t, func(f *fabric.Fabric) { f.Subnets[0].VLAN = 711 })
	want := `configure terminal
interface Ethernet1/1
  no priority-flow-control mode on
  no service-policy type qos input LINERATE-CLASSES
  no mtu 9216
  no switchport trunk allowed vlan 711
  no switchport mode trunk
exit
no vlan 711
system qos
  no service-policy type network-qos LINERATE-NETWORK
  no service-policy type queuing output LINERATE-QUEUES
exit
no policy-map type queuing LINERATE-QUEUES
no policy-map type network-qos LINERATE-NETWORK
no policy-map type qos LINERATE-CLASSES
no class-map type qos match-any LINERATE-7
no class-map type qos match-any LINERATE-3
end
`
	_, got, _ := strings.Cut(d.File("undo.txt").Text(), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAnswersHaveThatShape: the entries of verify.json match the form of real switch output with other settings.
func TestAnswersHaveThatShape(t *testing.T) {
	answers := map[string]string{"show interface priority-flow-control": "show-interface-priority-flow-control.txt",
		"show interface Ethernet1/1":            "show-interface.txt",
		"show interface Ethernet1/1 switchport": "show-interface-switchport.txt"}
	same := strings.NewReplacer("Ethernet1/1 On On (8)", "Ethernet1/1/1 Auto On (8)", "Allowed: 711", "Allowed: 1-4094")
	_, _, expect := family.One(t, func(f *fabric.Fabric) { f.Subnets[0].VLAN = 711 })
	dcbtest.Answers(t, expect, answers, func(e dcb.Expect, answer string) {
		if want := same.Replace(e.Want); e.Form != "lines" || !dcbtest.Line(answer, want) {
			t.Errorf("%s: no line with %q", e.Command, want)
		}
	})
}

func TestHostileNames(t *testing.T) { family.HostileNames(t) }

func FuzzNames(f *testing.F) { family.FuzzNames(f) }
