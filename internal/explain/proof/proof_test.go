package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check/checks"

	"golang.org/x/tools/txtar"

	"linerate/internal/device"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/golden"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// sections returns the parts of a case: "-- NAME --" and the lines below.
func sections(text string) (names []string, of map[string]string) {
	archive := txtar.Parse([]byte(text))
	of = map[string]string{"": string(archive.Comment)}
	for _, f := range archive.Files {
		names = append(names, f.Name)
		of[f.Name] = string(f.Data)
	}
	return names, of
}

// provingOf reads a case: what was sent, the path, and the outputs of its devices, "DEVICE before COMMAND" and "DEVICE
// after COMMAND".
func provingOf(t *testing.T, text string) *proving {
	t.Helper()
	names, of := sections(text)
	texts, order := map[string]map[string][]byte{}, map[string][]string{}
	for _, n := range names {
		w := strings.SplitN(n, " ", 3)
		if len(w) < 3 || w[1] != "before" && w[1] != "after" && w[1] != "both" {
			continue
		}
		for _, when := range []string{"before", "after"} {
			if w[1] == when || w[1] == "both" {
				key := w[0] + " " + when
				if texts[key] == nil {
					texts[key] = map[string][]byte{}
				}
				texts[key][w[2]], order[key] = []byte(of[n]), append(order[key], w[2])
			}
		}
	}
	read := func(key string) *facts.Facts {
		if order[key] == nil {
			return nil
		}
		device, _, _ := strings.Cut(key, " ")
		kept, not := read.FromKept(device, texts[key], order[key])
		f, err := read.Parse(kept)
		if err != nil || len(not) > 0 || len(f.Unknown) > 0 {
			t.Fatal(key, err, not, f.Unknown)
		}
		return f
	}
	p := &proving{lossless: 1, traffic: "tcp", class: device.Class{Name: "roce", Priority: 3, DSCP: []int{26},
		Lossless: true}}
	numbers := func(s string) (out []int) {
		for _, x := range strings.Split(s, ",") {
			n, err := strconv.Atoi(x)
			if err != nil {
				t.Fatal(s, err)
			}
			out = append(out, n)
		}
		return out
	}
	w := &check.World{}
	shots := map[string]judge.Shots{}
	for line := range strings.Lines(of["proof"]) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		switch f[0] {
		case "ecn":
			p.class.ECN = true
		case "traffic":
			p.traffic = f[1]
		case "flow": // flow FROM TO class|next to KEY VALUE ..
			x := proofFlow{from: f[1], to: f[2], background: f[3] == "beside"}
			for i := 4; i+1 < len(f); i += 2 {
				if f[i] == "why" {
					x.why = strings.Join(f[i+1:], " ")
					break
				}
				v, err := strconv.ParseInt(f[i+1], 10, 64)
				if err != nil {
					t.Fatal(line, err)
				}
				switch f[i] {
				case "sent":
					x.sent, x.received = &v, &v
				case "received":
					x.received = &v
				case "packets":
					x.packets = &v
				case "lost":
					x.lost = &v
				}
			}
			p.flows = append(p.flows, x)
		case "port": // port sender|in|out|receiver DEVICE PORT FLOWS
			if _, ok := shots[f[2]]; !ok {
				shots[f[2]] = judge.Shots{Before: read(f[2] + " before"), After: read(f[2] + " after")}
				if s := shots[f[2]]; s.After != nil {
					w.Add(f[2], s.After)
				}
			}
			at := map[string]int{"sender": atSenders, "in": switchIn, "out": switchOut, "receiver": atReceivers}[f[1]]
			p.ports = append(p.ports, Port{Device: f[2], Port: f[3], at: at, Shots: shots[f[2]], flows: numbers(f[4]), class: 3,
				peer: -1})
		case "link": // link A B: numbers of ports
			a, b := numbers(f[1])[0], numbers(f[2])[0]
			p.ports[a].peer, p.ports[b].peer = b, a
		default:
			t.Fatal(line)
		}
	}
	p.found = check.Run(checks.All(), w, check.Choice{}).Findings
	return p
}

// saidOf returns a record as text.
func saidOf(out *record.Proof) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", out.State, out.Sentence)
	for _, t := range out.Tests {
		word := "not known"
		if t.Passed != nil {
			word = unit.If(*t.Passed, "passed", "FAILED")
		}
		fmt.Fprintf(&b, "%s: %s; %s\n", t.Test, word, t.Have)
		for _, c := range t.Counters {
			fmt.Fprintf(&b, "  %s %s %s: %d -> %d", c.Device, c.Port, c.What, c.Before, c.After)
			if c.Low != nil {
				fmt.Fprintf(&b, ", wanted %.0f to %.0f more", *c.Low, *c.High)
			}
			b.WriteByte('\n')
		}
	}
	for _, w := range out.NotKnown {
		fmt.Fprintf(&b, "not known: %s\n", w)
	}
	for _, w := range out.Settles {
		fmt.Fprintf(&b, "settles: %s\n", w)
	}
	for _, c := range out.Causes {
		fmt.Fprintf(&b, "cause: %s: %s\n", c.ID, c.Text)
	}
	for _, w := range out.NotShown {
		fmt.Fprintf(&b, "not shown: %s\n", w)
	}
	return b.String()
}

// Every case gives its recorded text; -update writes it.
func TestProofs(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	if len(paths) < 12 {
		t.Fatalf("%d cases", len(paths))
	}
	states := map[string]int{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := provingOf(t, string(text)).judge()
		states[out.State]++
		got := saidOf(out)
		_, of := sections(string(text))
		if golden.Updates() {
			head, _, _ := strings.Cut(string(text), "-- want --\n")
			golden.Write(t, path, head+"-- want --\n"+got)
			continue
		}
		if of["want"] != got {
			t.Errorf("%s:\ngot:\n%s\nwant:\n%s", path, got, of["want"])
		}
		if lines := strings.SplitN(of[""], "\n", 2); !strings.HasPrefix(lines[0], out.State+":") {
			t.Errorf("%s: its first line says %q, and the judge %q", path, lines[0], out.State)
		}
	}
	if len(states) != 3 {
		t.Errorf("the cases have the states %v", states)
	}
}

// A class is in effect only if each of the five tests passes: with one counter changed or removed, it is not, or it is
// not known.
func TestProofNeedsEach(t *testing.T) {
	raw, err := os.ReadFile("testdata/in-effect.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sound := string(raw)
	if s := provingOf(t, sound).judge(); s.State != record.InEffect {
		t.Fatal(s.Sentence)
	}
	change := func(old, new string) string {
		if !strings.Contains(sound, old) {
			t.Fatalf("the case has no %q", old)
		}
		return strings.Replace(sound, old, new, 1)
	}
	for _, x := range []struct {
		name, text, state, test string
	}{
		{"a packet of the class was lost", change("flow a r class sent 6250000000 packets 698000 lost 0",
			"flow a r class sent 6250000000 packets 698000 lost 1"), record.NotInEffect, record.ProofSequence},
		{"nobody counts what was lost", change("flow a r class sent 6250000000 packets 698000 lost 0",
			"flow a r class sent 6250000000 packets 698000 why Windows does not say"), record.NotKnown, record.ProofSequence},
		{"the switch dropped one", change("Ethernet8    UC3       3,396,000   30,096,000,000            5",
			"Ethernet8    UC3       3,396,000   30,096,000,000            6"), record.NotInEffect, record.ProofDiscards},
		{"the receiver's NIC had no room", change("rx_prio3_discards: 7\n     rx_out_of_buffer: 3\n-- want",
			"rx_prio3_discards: 8\n     rx_out_of_buffer: 3\n-- want"), record.NotInEffect, record.ProofDiscards},
		{"the receiver dropped some of a class that it does not say", change("rx_out_of_buffer: 3\n-- want",
			"rx_out_of_buffer: 4\n-- want"), record.NotKnown, record.ProofDiscards},
		{"2 % more bytes than were sent", change("tx_prio3_bytes: 7294000000", "tx_prio3_bytes: 7430000000"),
			record.NotInEffect, record.ProofBytes},
		{"2 % less", change("tx_prio3_bytes: 7294000000", "tx_prio3_bytes: 7160000000"), record.NotInEffect,
			record.ProofBytes},
		{"a NIC without bytes by priority", change("     tx_prio3_bytes: 1000000000\n", ""), record.NotKnown,
			record.ProofBytes},
		{"cleared in between", change("tx_prio3_bytes: 7294000000", "tx_prio3_bytes: 29400000"), record.NotKnown,
			record.ProofBytes},
		{"best effort lost nothing", change("flow a r beside sent 3000000000 packets 335000 lost 812",
			"flow a r beside sent 3000000000 packets 335000 lost 0"), record.NotInEffect, record.ProofLossy},
		{"the receiver's counter was cleared", change("rx_prio3_discards: 7\n     rx_out_of_buffer: 3\n-- want",
			"rx_prio3_discards: 0\n     rx_out_of_buffer: 3\n-- want"), record.NotKnown, record.ProofDiscards},
		{"nothing was sent beside it", change("flow a r beside sent 3000000000 packets 335000 lost 812\nflow b r beside "+
			"sent 3000000000 packets 335000 lost 0\n", ""), record.NotKnown, record.ProofLossy},
	} {
		out := provingOf(t, x.text).judge()
		i := slices.IndexFunc(out.Tests, func(r record.ProofTest) bool { return r.Test == x.test })
		if out.State != x.state || i < 0 || out.Tests[i].Passed != nil && *out.Tests[i].Passed {
			t.Errorf("%s: %s", x.name, saidOf(out))
		}
		if x.state == record.NotKnown && (len(out.NotKnown) == 0 || len(out.Settles) == 0) {
			t.Errorf("%s: it does not say why, or what would settle it: %s", x.name, saidOf(out))
		}
	}
}

// A class is not in effect if a switch was not read.
func TestProofOfUnreadSwitch(t *testing.T) {
	raw, err := os.ReadFile("testdata/in-effect.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := provingOf(t, string(raw))
	for i := range p.ports {
		if p.ports[i].Device == "sw1" {
			p.ports[i].Shots = judge.Shots{}
		}
	}
	if out := p.judge(); out.State != record.NotKnown || !strings.Contains(out.Sentence, "sw1") {
		t.Error(out.Sentence)
	}
}
