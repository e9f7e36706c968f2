package fault

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// place returns a place whose hosts accept every command and answer like those of a lab.
func place(log *[]string) *Place {
	end := func(host, n string) End {
		return End{Host: host, Interface: "fast", Address: "10.9.1." + n, Prefix: "10.9.1.0/24", Port: "sw." + n,
			OtherInterface: "house", OtherAddress: "10.9.2." + n, OtherPrefix: "10.9.2.0/24", Guest: true, VLAN: 711,
			VLANInterface: "fast.711", Bond: "team", Members: []string{"fast", "second"}}
	}
	third := end("host3", "3")
	return &Place{Sender: end("host1", "1"), Receiver: end("host2", "2"), Third: &third, Switch: "sw", Bridge: "sw",
		OtherSwitch: "old", Rate: 2e8, Planned: 1e10, MTU: 1500, Program: "/bin/linerate", MayQuota: true, MayDrive: true,
		Source: "/mnt/data",
		Exec: func(host, script string) (string, error) {
			*log = append(*log, host+": "+script)
			if strings.HasPrefix(script, "sysctl -n") {
				return "4096\t131072\t6291456\n", nil
			}
			return "4711\n", nil
		}}
}

// Every fault has a description, can be made on a place that meets its needs, and leaves its undo.
func TestTable(t *testing.T) {
	seen, word := map[string]bool{}, regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for _, f := range All() {
		t.Run(f.ID, func(t *testing.T) {
			if !word.MatchString(f.ID) || seen[f.ID] || f.Title == "" || f.Cause == "" || f.Kind == "" ||
				f.Scenario == "" || f.Make == nil && f.Settings == nil || f.Transport != "" && f.Transport != UDP {
				t.Fatalf("incomplete, or twice: %+v", f)
			}
			seen[f.ID] = true
			for i := range uint64(20) {
				values := f.Draw(rand.New(rand.NewPCG(i, 1)))
				if wrong := f.Check(values); len(wrong) > 0 {
					t.Fatalf("seed %d draws %v: %v", i, values, wrong)
				}
				var log []string
				p := place(&log)
				if missing := p.Missing(&f); len(missing) > 0 {
					t.Fatal(missing)
				}
				if f.Settings != nil {
					for k, v := range f.Settings(values) {
						if k == "" || v == "" {
							t.Errorf("seed %d: setting %q: %q", i, k, v)
						}
					}
				}
				if f.Make == nil {
					continue
				}
				f.Make(p, values)
				p.Start()
				if p.Err != nil || len(p.Done) == 0 || len(p.Undo) == 0 {
					t.Fatalf("seed %d: error %v, done %q, undo %q", i, p.Err, p.Done, p.Undo)
				}
				if text := fmt.Sprint(log); strings.Contains(text, "%!") || strings.Contains(text, "NaN") {
					t.Errorf("seed %d: %s", i, text)
				}
			}
		})
	}
}

// A failing command ends the injection and is named.
func TestRefused(t *testing.T) {
	var log []string
	p := place(&log)
	p.Exec = func(string, string) (string, error) { return "", fmt.Errorf("no") }
	Find("receive-buffer").Make(p, Values{"limit": 1 << 15})
	if p.Err == nil || !strings.Contains(p.Err.Error(), "host2: sysctl") || len(p.Done) > 0 || len(p.Undo) > 0 {
		t.Errorf("%v %v", p.Err, p.Done)
	}
}

func TestValues(t *testing.T) {
	f := Find("shaper-tbf")
	wrong := f.Check(Values{"share": 7, "colour": 1})
	if len(wrong) != 2 {
		t.Fatal(wrong)
	}
	for _, w := range wrong {
		if !strings.Contains(w.Error(), "fault shaper-tbf") {
			t.Error(w)
		}
	}
}

// The buckets of both ends are deepened, of a bond those of all members, and restored.
func TestSteady(t *testing.T) {
	const was = "rate 19687Kbit burst 9841b latency 16ms"
	for _, members := range [][]string{nil, {"fast", "second"}} {
		var log []string
		p := place(&log)
		p.Exec = func(_, script string) (string, error) {
			log = append(log, script)
			return was + "\n", nil
		}
		p.Rate, p.Sender.Members, p.Receiver.Members = 2e7, members, members
		p.Steady()
		var want []Step
		for _, host := range []string{"host1", "host2"} {
			for _, dev := range p.Sender.interfaces() {
				want = append(want,
					Step{host, "tc qdisc replace dev " + dev + " root handle 11: tbf rate 19687Kbit burst 62500 latency 40ms"})
			}
		}
		if p.Err != nil || !slices.Equal(p.Done, want) {
			t.Fatalf("%v: %v, want %v", p.Err, p.Done, want)
		}
		for i, u := range p.Undo {
			if done := want[len(want)-1-i]; u.Host != done.Host || !strings.HasSuffix(u.Script, was) ||
				!strings.Contains(u.Script, strings.Fields(done.Script)[4]) {
				t.Errorf("%v is undone by %+v", done, u)
			}
		}
	}
}

// The lab's own token bucket is restored as the lab made it, any other as tc prints it.
func TestRootBack(t *testing.T) {
	for name, c := range map[string]struct{ there, want string }{
		"the lab's":       {"1", "tc qdisc replace dev fast root handle 11: tbf rate 196879064bit burst 98439 limit 492197"},
		"somebody else's": {"0", "tc qdisc replace dev fast root handle 11: tbf rate 50Mbit burst 128Kb latency 50ms"},
	} {
		p := &Place{Buckets: map[string]string{"host1 fast": "tbf rate 196879064bit burst 98439 limit 492197"},
			Exec: func(_, script string) (string, error) {
				if strings.Contains(script, "grep -c") {
					return c.there + "\n", nil
				}
				return "rate 50Mbit burst 128Kb latency 50ms\n", nil
			}}
		if got := p.root("host1", "fast"); got != c.want || p.Err != nil {
			t.Errorf("%s: %q (%v), want %q", name, got, p.Err, c.want)
		}
	}
}
