package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// Every command line of docs/ceilings.md prints the output below it.
func TestCeilingsOfTheDocument(t *testing.T) { printsWhatItSays(t, "ceilings.md", ".", 20) }

// The same for docs/figures.md, whose outputs of tools are those of the parsers' tests.
func TestFiguresOfTheDocument(t *testing.T) {
	printsWhatItSays(t, "figures.md", filepath.Join(root, "internal", "record", "claims", "testdata"), 20)
}

// The same for docs/storage-003.md.
func TestStorageOfTheDocument(t *testing.T) { printsWhatItSays(t, "storage-003.md", ".", 10) }

// printsWhatItSays runs the command lines of a document in a folder, and compares their output with the text below
// them.
func printsWhatItSays(t *testing.T, name, in string, least int) {
	t.Helper()
	file := testenv.Must(filepath.Abs(filepath.Join(root, "docs", name)))(t)
	old := testenv.Must(os.ReadFile(file))(t)
	t.Chdir(in)
	var out strings.Builder
	commands, printed := 0, false
	lines := strings.SplitAfter(string(old), "\n")
	for i, line := range lines {
		command, is := strings.CutPrefix(line, "    $ linerate ")
		switch {
		case is:
			a := call(t, nil, strings.Fields(strings.ReplaceAll(command, "'", ""))...) // quotes of a shell
			if a.code != cli.ExitDone || a.err != "" {
				t.Errorf("%s%s", line, a)
			}
			out.WriteString(line)
			for l := range strings.Lines(a.out) {
				if l = "    " + l; strings.TrimSpace(l) == "" {
					l = "\n"
				}
				out.WriteString(l)
			}
			commands, printed = commands+1, true
		case printed && (strings.HasPrefix(line, "    ") || line == "\n" &&
			goesOn(lines[i+1:])): // as it was printed before
		default:
			printed = false
			out.WriteString(line)
		}
	}
	if commands < least {
		t.Errorf("only %d commands", commands)
	}
	golden.Compare(t, file, out.String())
}

// goesOn reports whether output continues after an empty line.
func goesOn(lines []string) bool {
	return len(lines) > 0 && strings.HasPrefix(lines[0], "    ") && !strings.HasPrefix(lines[0], "    $ ")
}

// Invalid queries are reported, all together, and nothing is printed.
func TestCeilingErrors(t *testing.T) {
	for line, want := range map[string][]string{
		"":                           {"missing FABRIC.yaml or --link RATE"},
		"--transport udp":            {"--transport needs the speed of the link"},
		"--link 10g":                 {"write --link 10G"},
		"--link FDR --transport tcp": {"ib has the rates SDR to XDR"},
		"--link 10G --transport ib":  {"ib has the rates SDR to XDR"},
		"--link DDRx3":               {"no width of 3 lanes"},
		"--link 10G --transport tpc": {`--transport: unknown value "tpc"`},
		"--link 10G --markers --path-mtu 9": {"--markers changes nothing for tcp",
			"--path-mtu changes nothing for tcp"},
		"--link 10G --window 64KiB":        {"--window without --rtt"},
		"--link 10G --loss 100% --rtt 1ms": {"above 0 and below 100 %"},
		"--link 10G --io 0":                {"--io: 0: nothing cannot be carried"},
		"--link 10G --per-byte 3": {"write --per-byte 0.26ns or 260ps",
			"--per-byte without --per-packet"},
		"--link 10G --payload 256":                    {"--payload without --pcie"},
		"--link 10G --mtu 9 --pcie 3.0x9":             {"MTU 9 is below 68 bytes", "no width of 9 lanes"},
		"--link 1G --replicas 3 --nodes 2":            {"no more copies than nodes"},
		"--depth 3 --latency 1ms":                     {"--depth without --io"},
		"--link 9G --transport rocev2 --mtu 300":      {"MTU 300 leaves no room for RDMA's smallest packets"},
		"--link 9G --direction in":                    {"--direction in is not valid\nhelp: write out or both"},
		"--link 9G --transport udp --direction both":  {"--direction changes nothing for udp"},
		"examples/mesh-10g.yaml --mtu 9000 --link 1G": {"--mtu: a fabric file says it", "--link: a fabric file says it"},
	} {
		a := call(t, nil, append([]string{"ceiling"}, strings.Fields(line)...)...)
		if a.code != cli.ExitInput || a.out != "" {
			t.Errorf("ceiling %s: %s", line, a)
		}
		for _, w := range want {
			if strings.Count(a.err, w) != 1 {
				t.Errorf("ceiling %s: %q is not said once:\n%s", line, w, a.err)
			}
		}
	}
}

// The object has the figures of all transports, and the source of each input.
func TestCeilingObject(t *testing.T) {
	a := call(t, nil, strings.Fields("ceiling --link 100G --transport rocev2,smb --pcie 3.0x8 --json")...)
	var got struct {
		Paths []struct {
			Transport string
			Rate      float64 `json:"bits_per_second"`
			Component string
			Hops      []struct {
				Kind   string
				Inputs []struct{ Name, Origin string }
			}
			Figures []struct {
				Name, Unit string
				Value      float64
			}
		}
	}
	if err := json.Unmarshal([]byte(a.out), &got); err != nil || len(got.Paths) != 2 {
		t.Fatal(err, a)
	}
	// RDMA's headers do not cross the bus; those of TCP do.
	roce, smb := got.Paths[0], got.Paths[1]
	if int(roce.Rate/1e7) != 5292 || int(smb.Rate/1e7) >= 5292 || roce.Component != "PCIe 3.0x8, receiving" {
		t.Errorf("%+v\n%+v", roce, smb)
	}
	origin := map[string]string{}
	for _, h := range roce.Hops {
		for _, in := range h.Inputs {
			origin[in.Name] = in.Origin
		}
	}
	if origin["rate"] != "declared" || origin["payload"] != "assumed" || origin["path_mtu"] != "assumed" {
		t.Errorf("%v", origin)
	}
	found := false
	for _, f := range smb.Figures {
		found = found || f.Name == "pcie_kernel_bits_per_second" && f.Value == 63.008e9
	}
	if !found {
		t.Errorf("%+v", smb.Figures)
	}
}
