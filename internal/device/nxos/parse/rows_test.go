package parse

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
	"linerate/internal/testenv"
)

// rowValues returns, by command, the value in a row of the values and the facts' value in the same form.
var rowValues = map[string]func(f *facts.Facts, row map[string]any) (want, got string){
	"show-environment": sensorRow, "show-environment-temperature": sensorRow, "show-module": sensorRow,
	"show-interface-breakout": func(f *facts.Facts, row map[string]any) (want, got string) {
		for _, n := range f.NICs {
			if strings.HasPrefix(n.Name, portName(text(row, "parent"))+"/") {
				got += n.Name + " " + n.Wire.Supported[0].Speed.String() + ";"
			}
		}
		for lane := range 4 {
			want += fmt.Sprintf("%s/%d 10.0 Gb/s;", portName(text(row, "parent")), lane+1)
		}
		return want, got
	},
	"show-interface-capabilities": func(f *facts.Facts, row map[string]any) (want, got string) {
		n := f.NIC(text(row, "interface"))
		for _, mode := range n.Wire.Supported {
			got += mode.Name + ","
		}
		want = strings.TrimSuffix(text(row, "speed"), "auto")
		if n.Wire.Optic != nil {
			got += n.Wire.Optic.Types[0]
		}
		if !strings.HasSuffix(want, ",") {
			want += ","
		}
		if text(row, "type_detail") == "SFP capable" {
			want += text(row, "type")
		}
		return want, got
	},
	"show-inventory": func(f *facts.Facts, row map[string]any) (want, got string) {
		name, description := text(row, "name"), text(row, "descr")
		switch n := f.NIC(name); {
		case name == "Chassis":
			return description, f.Machine.Product.Or("") + description[len(description)-len(" Chassis"):]
		case !strings.HasPrefix(name, "Ethernet"):
			return "", ""
		case n == nil || n.Wire.Optic == nil:
			return name, "no module"
		default:
			o := n.Wire.Optic
			return description + ";" + text(row, "pid") + ";" + text(row, "vid"),
				o.Vendor + ";" + strings.Join(o.Types, ",") + ";" + o.Part
		}
	},
	"show-ip-arp": func(f *facts.Facts, row map[string]any) (want, got string) {
		mac := facts.ColonMAC(text(row, "mac_address"))
		if mac == "INCOMPLETE" {
			mac = ""
		}
		for _, n := range f.Neighbours {
			if n.Address.String() == text(row, "ip_address") {
				got = n.Interface + " " + n.MAC
			}
		}
		return portName(text(row, "interface")) + " " + mac, got
	},
	"show-port-channel-summary": func(f *facts.Facts, row map[string]any) (want, got string) {
		members, _ := row["member_interface"].([]any)
		for _, m := range members {
			if m != "--" { // no members
				want += portName(fmt.Sprint(m)) + " "
			}
		}
		for _, n := range f.NICs {
			if n.Master == portName(text(row, "bundle_name")) {
				got += n.Name + " "
			}
		}
		return want, got
	},
}

func text(row map[string]any, key string) string {
	s, _ := row[key].(string)
	return s
}

// sensorRow compares a sensor in a row of one of three commands.
func sensorRow(f *facts.Facts, row map[string]any) (want, got string) {
	first := func(keys ...string) string {
		for _, key := range keys {
			if s := text(row, key); s != "" {
				return s
			}
		}
		return ""
	}
	kind, name, state := "module", "module "+text(row, "module"), text(row, "status")
	if model := text(row, "model"); model != "" {
		name += " (" + model + ")"
	}
	switch sensor := first("temperature_sensor", "sensor"); {
	case sensor != "":
		kind = "temperature"
		name = first("temperature_module", "module") + " " + strings.Join(strings.Fields(sensor), " ")
		state = first("temperature_current", "current_value") + " C, limits " +
			first("temperature_minor_thresh", "minor_threshold") + " and " +
			first("temperature_major_thresh", "major_threshold") + " C"
	case text(row, "power_supply") != "":
		kind, name = "psu", text(row, "power_supply")+" ("+text(row, "power_supply_model")+")"
		state = text(row, "power_supply_status")
	case text(row, "fan") != "":
		kind, name, state = "fan", text(row, "fan"), text(row, "fan_status")
	}
	for _, s := range f.Switch.Sensors {
		// the values omit the number after a sensor's and a fan's name
		if s.Kind == kind && (s.Name == name || strings.HasPrefix(s.Name, name) && kind != "module") && s.State == state {
			return name, name
		}
	}
	return kind + " " + name + ": " + state, fmt.Sprint(f.Switch.Sensors)
}

// TestBadStates: a failed part is an event, and so is a member without its aggregated link's traffic.
func TestBadStates(t *testing.T) {
	f := parse.NewBuilder(new(facts.Facts))
	read := func(reader func(*parse.Builder, []string, []byte) error, text string) {
		t.Helper()
		testenv.Check(t, reader(f, nil, []byte(text)))
	}
	read(readEnvironment, "Power Supply:\nVoltage: 12 Volts\nSupply    Model    Output     Capacity    Status\n"+
		"1        N9K-PAC-650W              101 W       103 W       650 W     Ok\n"+
		"2        N9K-PAC-650W                0 W         0 W       650 W     Fail\n"+
		"Fan             Model                Hw     Direction       Status\n"+
		"Fan2(sys_fan2)  N9K-C9300-FAN2       --     front-to-back   Failed\nFan Zone Speed: Zone 1: 0x80\n")
	read(readChannels, "Group Port-       Type     Protocol  Member Ports\n"+
		"1     Po1(SU)     Eth      LACP      Eth1/1(P)    Eth1/2(s)\n                                     Eth1/3(P)\n")
	show.Settle(f)
	var got []string
	for _, e := range f.Events {
		got = append(got, fmt.Sprint(e.What, " ", e.Subject, " ", e.Detail))
	}
	want := []string{"member-down Ethernet1/2 port-channel1", "hardware-fault  power supply 2 (N9K-PAC-650W): Fail",
		"hardware-fault  fan Fan2(sys_fan2): Failed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestQueuing reads the counters of a qos-group, and the shares and counters of whole outputs in the forms of public
// notes on Nexus 9000.
func TestQueuing(t *testing.T) {
	excerpt := testenv.Must(os.ReadFile("testdata/show-queuing-interface--excerpt-n9k.txt"))(t)
	whole := "slot  1\n=======\n\nEgress Queuing for Ethernet1/49 [System]\n" +
		"------------------------------------------------------------------------------\n" +
		"QoS-Group# Bandwidth% PrioLevel                Shape                   QLimit\n" +
		"                                   Min          Max        Units\n" +
		"      7             -         1           -            -     -            9(D)\n" +
		"      3            60         -           -            -     -            9(D)\n" +
		"|                              QOS GROUP 0                    |\n" +
		"|                           |  Unicast       | OOBFC Unicast  |  Multicast     |\n" +
		"|                   Tx Pkts |              12|              22|              34|\n" +
		"|                   Tx Byts |            1200|            2200|            3400|\n" +
		"|              Dropped Pkts |               1|               0|               2|\n" +
		"|                              QOS GROUP 3                    |\n" +
		"|                   Tx Pkts |              50|   Dropped Pkts |               6|\n" +
		"|                      CONTROL QOS GROUP                      |\n" +
		"|              Dropped Pkts |               9|               0|               9|\n" +
		"Ingress Queuing for Ethernet1/49\n      7             -         1           -            -     -            9(D)\n"
	policy := "Ethernet1/2\n\n  Service-policy (queuing) output:   default-8q-out-policy\n" +
		"    Class-map (queuing):   c-out-8q-q7 (match-any)\n      priority level 1\n      queue dropped pkts : 0\n" +
		"    Class-map (queuing):   c-out-8q-q3 (match-any)\n      bandwidth remaining percent 60\n" +
		"      random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn\n" +
		"      queue dropped pkts : 5\n" +
		"    Class-map (queuing):   c-out-8q-q-default (match-any)\n      bandwidth remaining percent 40\n" +
		"  Service-policy (qos) input:   marking\n    Class-map (qos):   voice (match-any)\n      queue dropped pkts : 7\n"
	for _, c := range []struct {
		name   string
		read   func(*parse.Builder, []string, []byte) error
		text   string
		counts string
		queues map[int]facts.Queue
	}{
		{"excerpt", readQueuing, string(excerpt),
			"class-bytes-sent Ethernet1/1 3 364728540; class-send-drops Ethernet1/1 3 0; ", nil},
		{"whole", readQueuing, whole,
			"class-bytes-sent Ethernet1/49 0 6800; class-send-drops Ethernet1/49 0 3; class-send-drops Ethernet1/49 3 6; " +
				"queue-drops Ethernet1/49 3 of 68; queue-drops Ethernet1/49 6 of 50; ",
			map[int]facts.Queue{7: {Strict: unit.Known(true)}, 3: {Strict: unit.Known(false), Weight: unit.Known(60.0)}}},
		{"policy", readPolicy, policy, "class-send-drops Ethernet1/2 7 0; class-send-drops Ethernet1/2 3 5; " +
			"queue-drops Ethernet1/2 5 of 0; ",
			map[int]facts.Queue{7: {Strict: unit.Known(true)}, 0: {Strict: unit.Known(false), Weight: unit.Known(40.0)},
				3: {Strict: unit.Known(false), Weight: unit.Known(60.0), ECN: unit.Known(true), WRED: unit.Known(false),
					Min: unit.Known(unit.Bytes(150e3)), Max: unit.Known(unit.Bytes(3000e3))}}},
	} {
		f := parse.NewBuilder(new(facts.Facts))
		for range 2 { // the second time is another command with the same counters
			if err := c.read(f, nil, []byte(c.text)); err != nil {
				t.Fatal(err)
			}
		}
		show.Settle(f)
		counts, seen := "", map[string]bool{}
		for _, x := range f.ClassCounts {
			line := fmt.Sprintf("%s %s %d %d; ", x.What, x.Subject, x.Class, x.Value)
			if x.What == facts.ClassBytesSent && seen[line] {
				continue
			}
			seen[line] = true
			counts += line
		}
		for _, x := range f.Counts {
			counts += fmt.Sprintf("%s %s %d of %d; ", x.What, x.Subject, x.Value, x.Of.Or(0))
		}
		if diff := cmp.Diff(c.counts, counts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		var queues map[int]facts.Queue
		if e := f.NICs[0].Effect; e != nil {
			queues = e.Queues
		}
		if diff := cmp.Diff(c.queues, queues, cmp.Comparer(func(a, b unit.Opt[bool]) bool { return a == b }),
			cmp.Comparer(func(a, b unit.Opt[float64]) bool { return a == b }),
			cmp.Comparer(func(a, b unit.Opt[unit.Bytes]) bool { return a == b }),
			cmp.Comparer(func(a, b unit.Opt[unit.BitRate]) bool { return a == b })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestNothingTaken: an output without facts is recognized, and another text is not.
func TestNothingTaken(t *testing.T) {
	for _, n := range nothingTaken {
		read := readNothing(n.looks)
		if err := read(parse.NewBuilder(new(facts.Facts)), nil, []byte("% Invalid command")); err == nil || n.why == "" {
			t.Errorf("%s: %v; %q", n.name, err, n.why)
		}
	}
}
