package parse

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/testenv"
)

// readers are the parsers of the snapshots, by the command before -- in their names.
var readers = map[string]func(*parse.Builder, []string, []byte) error{"show-version": readVersion,
	"show-interface": readInterfaces, "show-interface-status": readStatus, "show-lldp-neighbors": readLLDP,
	"show-lldp-neighbors-detail": readLLDP, "show-interface-transceiver": readTransceiver,
	"show-interface-transceiver-details": readTransceiver, "show-interface-brief": readBrief,
	"show-interface-breakout": readBreakout, "show-interface-capabilities": readCapabilities,
	"show-interface-description": readDescription, "show-environment": readEnvironment,
	"show-environment-temperature": readEnvironment, "show-inventory": readInventory, "show-ip-arp": readARP,
	"show-ip-interface-brief": readIPBrief, "show-module": readModule, "show-port-channel-summary": readChannels}

// leftOut are the snapshots whose values are not compared, by the start of their names, with the reason.
var leftOut = map[string]string{
	"show-port-channel-summary--ntc-show_port-channel_summary.txt": "it is an answer of Arista EOS",
	"show-interface-priority-flow-control":                         "TestPFC reads it",
	"show-queuing-interface--excerpt-n9k":                          "TestQueuing reads it",
	"show-interface-switchport--":                                  "nothingTaken has the command",
	"show-mac-address-table--":                                     "nothingTaken has the command",
	"show-processes-cpu--":                                         "nothingTaken has the command",
	"show-vlan--":                                                  "nothingTaken has the command",
}

// TestValues compares the facts of the snapshots with the values in their source, by the names of the values.
func TestValues(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 6 {
		t.Fatal(err, files)
	}
	more, _ := filepath.Glob("../../../../../shared/captures/nxos/*.txt") // all of them, where they exist
	read := map[string]int{}
	for _, file := range append(files, more...) {
		command, _, _ := strings.Cut(filepath.Base(file), "--")
		if isLeftOut(file) {
			continue
		}
		reader := readers[command]
		if reader == nil {
			t.Errorf("%s: no parser reads it, and leftOut does not say why", file)
			continue
		}
		text := testenv.Must(os.ReadFile(file))(t)
		f := parse.NewBuilder(new(facts.Facts))
		if err := reader(f, nil, text); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		b := testenv.Must(os.ReadFile(strings.TrimSuffix(file, ".txt") + ".values.json"))(t)
		var rows []map[string]any
		if err := json.Unmarshal(b, &rows); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, row := range rows {
			want, got := map[string]string{}, map[string]string{}
			if compared := rowValues[command]; compared != nil {
				want["row"], got["row"] = compared(f.Facts, row)
				row = nil
			}
			for key, v := range row {
				s, _ := v.(string)
				if have, ok := valueOf(f.Facts, row, key); ok && s != "" {
					want[key], got[key] = s, have
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
			read[command] += len(want)
		}
	}
	for command := range readers {
		if read[command] == 0 {
			t.Errorf("no value of %s was compared", command)
		}
	}
	t.Logf("values compared: %v", read)
}

func isLeftOut(file string) bool {
	for beginning := range leftOut {
		if strings.HasPrefix(filepath.Base(file), beginning) {
			return true
		}
	}
	return false
}

// valueOf returns the facts' value in the form of the values; ok is false for values that are not read.
func valueOf(f *facts.Facts, row map[string]any, key string) (value string, ok bool) {
	name, _ := row["interface"].(string)
	for _, other := range []string{"port", "local_interface"} {
		if name == "" {
			name, _ = row[other].(string)
		}
	}
	if name == "" {
		switch key {
		case "platform":
			want := row[key].(string)
			if strings.Contains(strings.ReplaceAll(f.Machine.Product.Or(""), " ", ""), want) {
				return want, true // the values have a part of it
			}
			return f.Machine.Product.Or(""), true
		case "os":
			want := row[key].(string)
			version, _, _ := strings.Cut(want, " ")
			return strings.Replace(f.Kernel, "NX-OS "+version, want, 1), true
		}
		return "", false
	}
	n := f.NIC(portName(name))
	if n == nil {
		return "the facts do not have " + name, true
	}
	count := func(what facts.Counted) string {
		for _, c := range f.Counts {
			if c.What == what && c.Subject == n.Name {
				return strconv.FormatUint(c.Value, 10)
			}
		}
		return "0"
	}
	if v, ok := opticValue(n.Wire.Optic, row, key); ok {
		return v, true
	}
	switch key {
	case "neighbor_name", "neighbor_interface", "chassis_id", "neighbor_description", "mgmt_address":
		return neighbourValue(n.LLDP, row, key), true
	case "mtu":
		return strconv.Itoa(n.MTU), true
	case "mac_address":
		want, _ := row[key].(string)
		if facts.ColonMAC(want) == n.MAC {
			return want, true
		}
		return n.MAC, true
	case "link_status":
		want, _ := row[key].(string)
		if state, _, _ := strings.Cut(want, " "); n.Carrier.Or(false) == (state == "up") {
			return want, true
		}
		return fmt.Sprint(n.Carrier), true
	case "link":
		return "link-" + upOrDown(n.Carrier.Or(false)), n.Carrier.IsKnown()
	case "description":
		return n.Alias, row[key] != "--" && row["status"] == nil
	case "portch":
		return strings.TrimPrefix(n.Master, "port-channel"), row[key] != "--"
	case "status":
		want, _ := row[key].(string)
		if strings.HasPrefix(want, "admin-") {
			return "admin-" + upOrDown(n.Up), n.UpKnown
		}
		if n.Carrier.Or(false) == (want == "connected" || want == "up") {
			return want, true
		}
		return fmt.Sprint(n.Carrier), true
	case "admin_state":
		want, _ := row[key].(string)
		if n.UpKnown && n.Up == (want == "up") {
			return want, true
		}
		// For a VLAN interface the value is that of the line protocol.
		if n.UpKnown && n.Up && want == "u" { // the values of some releases have this for "up"
			return want, true
		}
		return fmt.Sprint(n.UpKnown, n.Up), n.Kind != "vlan"
	case "speed":
		want, _ := row[key].(string)
		if !n.Carrier.Or(false) || n.Kind != "" || strings.Contains(want, "auto") {
			return want, !n.Speed.IsKnown()
		}
		if bare, _, _ := strings.Cut(want, "("); parse.PortSpeed(bare) == n.Speed {
			return want, true
		}
		return n.Speed.Or(unit.BitRate(0)).String(), true
	case "input_packets", "output_packets":
		as := map[string]string{"input_packets": "rx_packets", "output_packets": "tx_packets"}[key]
		if v, ok := n.Counters[as]; ok {
			return strconv.FormatUint(v, 10), true
		}
		return "none", n.Kind != "vlan" // whose values are those of routed packets
	case "crc":
		return count(facts.BadFrames), true
	case "input_discards":
		return count(facts.ReceiveDrops), true
	case "output_discards":
		return count(facts.QueueDrops), true
	case "rx_pause":
		return count(facts.PauseReceived), true
	case "tx_pause":
		return count(facts.PauseSent), true
	}
	return "", false
}

func upOrDown(up bool) string {
	if up {
		return "up"
	}
	return "down"
}

// neighbourValue returns the facts of the neighbour with the row's port.
func neighbourValue(list []facts.LLDPNeighbour, row map[string]any, key string) string {
	remote, _ := row["neighbor_interface"].(string)
	want, _ := row[key].(string)
	for _, h := range list {
		if h.Port.Value != remote && h.Port.Value != facts.ColonMAC(remote) {
			continue
		}
		switch key {
		case "neighbor_name":
			return h.System
		case "neighbor_interface":
			return remote
		case "chassis_id":
			if h.Chassis.Value == facts.ColonMAC(want) {
				return want
			}
			return h.Chassis.Value
		case "neighbor_description": // the values have its first line
			if strings.HasPrefix(h.Description, want) {
				return want
			}
			return h.Description
		case "mgmt_address":
			if len(h.Management) > 0 {
				return h.Management[0].String()
			}
		}
	}
	return "the facts do not have it"
}

// opticValue returns the facts of a module; ok is false for other values.
func opticValue(o *facts.Optic, row map[string]any, key string) (value string, ok bool) {
	if _, is := row["lane"]; !is && row["part_number"] == nil {
		return "", false
	}
	if o == nil {
		return "no module", key == "type" || key == "part_number"
	}
	switch key {
	case "type":
		return strings.Join(o.Types, ","), true
	case "manufacturer":
		return beginning(o.Vendor, row[key]), true
	case "part_number":
		return beginning(o.Part, row[key]), true
	}
	want, _ := row[key].(string)
	same := func(v unit.Opt[float64]) (string, bool) {
		number, err := strconv.ParseFloat(want, 64)
		if have, known := v.Get(); err != nil && !known || err == nil && known && have == number {
			return want, true
		}
		return fmt.Sprint(v), true
	}
	lane := facts.OpticLane{}
	if number, _ := strconv.Atoi(fmt.Sprint(row["lane"])); number > 1 && len(o.Lanes) >= number-1 {
		lane = o.Lanes[number-2] // of a CFP, whose first lane is none
	} else if len(o.Lanes) > 0 {
		lane = o.Lanes[0]
	}
	name, part, _ := strings.Cut(key, "_")
	figures := map[string]unit.Opt[float64]{"temperature": o.Temperature, "voltage": o.Voltage, "amps": lane.Bias,
		"tx": lane.Send, "rx": lane.Receive}
	limits := map[string]string{"temperature": "temperature", "voltage": "voltage", "amps": "bias", "tx": "send",
		"rx": "receive"}
	l := o.Limits[limits[name]]
	switch part {
	case "value":
		return same(figures[name])
	case "alarm_high":
		return same(l.HighAlarm)
	case "alarm_low":
		return same(l.LowAlarm)
	case "warn_high":
		return same(l.HighWarning)
	case "warn_low":
		return same(l.LowWarning)
	}
	return "", false
}

// beginning returns the first word of a text if a value has only that, else the text.
func beginning(text string, want any) string {
	if word, _, _ := strings.Cut(text, " "); word == want {
		return word
	}
	return text
}

// TestPFC: On (8) is priority 3, which sends and obeys pauses; Off means none.
func TestPFC(t *testing.T) {
	text := testenv.Must(os.ReadFile("testdata/show-interface-priority-flow-control.txt"))(t)
	f := parse.NewBuilder(new(facts.Facts))
	testenv.Check(t, readPFC(f, nil, text))
	got := map[string][]int{}
	for _, n := range f.NICs {
		got[n.Name], _ = n.Effect.PFC()
	}
	want := map[string][]int{"Ethernet1/1": nil, "Ethernet1/2": nil, "Ethernet1/1/1": {3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(f.Counts) != 1 || f.Counts[0].Subject != "Ethernet1/2" || f.Counts[0].Value != 2 ||
		f.Counts[0].What != facts.PauseReceived {
		t.Errorf("%+v", f.Counts)
	}
	for text, want := range map[string][]int{"8": {3}, "9": {0, 3}, "0": nil, "18": nil, "": nil} {
		got, ok := bitsOf(text)
		if diff := cmp.Diff(want, got); diff != "" || ok != (len(text) == 1) {
			t.Errorf("%q: %v (-want +got):\n%s", text, ok, diff)
		}
	}
}

// TestErrors reads the tables of "show interface counters errors", in which -- is a counter that a port does not have.
func TestErrors(t *testing.T) {
	dashes := strings.Repeat("-", 80) + "\n"
	f := parse.NewBuilder(new(facts.Facts))
	err := readErrors(f, nil, []byte(dashes+
		"Port          Align-Err    FCS-Err   Xmit-Err    Rcv-Err  UnderSize OutDiscards\n"+
		dashes+"mgmt0                   0          0         --         --         --          --\n"+
		"Eth1/39                 0       2064          0       2064          0           0\n"+
		"Po700                   0          0          0          0          0        4303\n\n"+dashes+
		"Port         Single-Col  Multi-Col   Late-Col  Exces-Col  Carri-Sen       Runts\n"+dashes+
		"Eth1/39                 1          2          3          4          5           6\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint64{}
	for _, c := range f.Counts {
		got[c.Subject+" "+string(c.What)] = c.Value
	}
	want := map[string]uint64{"Ethernet1/39 bad-frames": 2064, "port-channel700 queue-drops": 4303}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
