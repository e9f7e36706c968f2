package main

import (
	"bytes"
	le "encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/storage/block"
	"linerate/internal/testenv"
)

// forwarderDLL is bcryptprimitives.dll, which every Go program loads and which is missing in Wine 8: a PE32+ library
// whose one export, ProcessPrng, stands for advapi32's SystemFunction036 (Microsoft's PE format specification).
func forwarderDLL() []byte {
	const section, alignment = 0x1000, 0x200
	names := []string{"bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"}
	const tables = 40 + 4 + 4 + 2 // export directory, one address, one name, one ordinal
	var at [3]uint32
	var text bytes.Buffer
	for i, n := range names {
		at[i] = section + tables + uint32(text.Len())
		text.WriteString(n + "\x00")
	}
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			le.Write(&b, le.LittleEndian, v)
		}
	}
	u16, u32, u64 := func(v uint16) uint16 { return v }, func(v uint32) uint32 { return v },
		func(v uint64) uint64 { return v }
	put([]byte("MZ"), make([]byte, 58), u32(64), []byte("PE\x00\x00"))
	put(u16(0x8664), u16(1), u32(0), u32(0), u32(0), u16(240),
		u16(0x2022)) // AMD64, one section, a DLL
	put(u16(0x20b), u16(0), u32(0), u32(alignment), u32(0), u32(0), u32(0), u64(0x180000000), u32(section)) // PE32+
	put(u32(alignment), u16(6), u16(0), u16(0), u16(0), u16(6), u16(0), u32(0), u32(2*section),
		u32(alignment)) // versions, sizes
	put(u32(0), u16(2), u16(0x100), u64(1<<20), u64(1<<12), u64(1<<20), u64(1<<12), u32(0), u32(16))
	put(u32(section), u32(tables+uint32(text.Len())), make([]byte, 15*8)) // the first directory is that of exports
	put([]byte(".rdata\x00\x00"), u32(tables+uint32(text.Len())), u32(section), u32(alignment), u32(alignment),
		make([]byte, 12), u32(0x40000040))
	b.Write(make([]byte, alignment-b.Len()))
	put(u32(0), u32(0), u32(0), at[0], u32(1), u32(1), u32(1), u32(section+40), u32(section+44), u32(section+48))
	put(at[2], at[1], u16(0))
	b.Write(text.Bytes())
	b.Write(make([]byte, 2*alignment-b.Len()))
	return b.Bytes()
}

// wine runs the Windows program: this shows that it works, not how fast it is on Windows.
type wine struct {
	*place
	exe string
}

// needWine makes a Windows for the test. It needs most of a gigabyte of packages.
func needWine(t *testing.T) *wine { return needWineFor(t, "") }

// needWineFor makes one for an existing program; without one it is built.
func needWineFor(t *testing.T, exe string) *wine {
	t.Helper()
	testenv.Need(t, testenv.Wine)
	if _, err := exec.LookPath("wine"); err != nil {
		missing(t, "the program wine (Debian: wine wine64)")
	}
	testenv.Count(t, "system", "Windows as Wine imitates it", 1)
	p := newPlace(t)
	w := &wine{p, exe}
	if exe == "" {
		w.exe = p.path("linerate.exe")
		build := exec.Command("go", "build", "-overlay", withoutNetReset(t, p), "-o", w.exe, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v: %s", err, out)
		}
	}
	w.env = append(w.env, "WINEDEBUG=-all", "WINEPREFIX="+p.path("prefix"), "DISPLAY=")
	t.Cleanup(func() {
		stop := exec.Command("wineserver", "-k")
		stop.Env = w.env
		stop.Run()
		// The prefix is removed with the place, but its server writes into it until it has ended.
		stop = exec.Command("wineserver", "-w")
		stop.Env = w.env
		stop.Run()
	})
	for _, argv := range [][]string{{"wineboot", "-i"},
		{"reg", "add", `HKCU\Software\Wine`, "/v", "Version", "/d", "win10", "/f"}} {
		// Without pipes: background processes of Wine would keep them open.
		cmd := exec.Command("wine", argv...)
		cmd.Dir, cmd.Env = w.dir, w.env
		if err := cmd.Run(); err != nil {
			missing(t, fmt.Sprintf("a Wine that starts: %v: %v", argv, err))
		}
	}
	if err := os.WriteFile(p.path("prefix", "drive_c", "windows", "system32", "bcryptprimitives.dll"), forwarderDLL(),
		0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

// The program of a release, from its archive, prints its version. packaging/test.sh names both.
func TestWineRelease(t *testing.T) {
	exe, version := os.Getenv("LINERATE_RELEASE_EXE"), os.Getenv("LINERATE_RELEASE_VERSION")
	if exe == "" {
		t.Skip("LINERATE_RELEASE_EXE names no program; packaging/test.sh DIR does, of a release")
	}
	out, err := needWineFor(t, exe).windows("version", "--json").Output()
	var reported struct{ Version, OS, Arch string }
	if err != nil || json.Unmarshal(out, &reported) != nil || reported.Version != version || reported.OS != "windows" ||
		reported.Arch != "amd64" {
		t.Errorf("it says %q (%v), and is to be version %q for windows/amd64", out, err, version)
	}
}

// withoutNetReset makes package net work without a call of Windows that is missing in Wine 8: SIO_UDP_NETRESET, which
// keeps ICMP's "network unreachable" from a socket. Without this no UDP socket opens under Wine. It returns a file for
// go build -overlay.
func withoutNetReset(t *testing.T, p *place) string {
	t.Helper()
	root := testenv.Must(exec.Command("go", "env", "GOROOT").Output())(t)
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "net", "fd_windows.go")
	text := testenv.Must(os.ReadFile(source))(t)
	before, after, found := strings.Cut(string(text), "windows.SIO_UDP_NETRESET")
	const check, opNotSupported = "if err != nil {", 10045
	if !found || !strings.Contains(after, check) {
		t.Fatalf("%s does not ask for SIO_UDP_NETRESET as it did: look whether Wine's UDP still needs help", source)
	}
	changed := before + "windows.SIO_UDP_NETRESET" + strings.Replace(after, check,
		fmt.Sprintf("if err != nil && err != syscall.Errno(%d) {", opNotSupported), 1)
	replacement := p.path("fd_windows.go")
	overlay := testenv.Must(json.Marshal(map[string]any{"Replace": map[string]string{source: replacement}}))(t)
	for name, content := range map[string][]byte{replacement: []byte(changed), p.path("overlay.json"): overlay} {
		testenv.WriteFile(t, name, content, 0o600)
	}
	return p.path("overlay.json")
}

// windows is a command of linerate.exe under Wine.
func (w *wine) windows(args ...string) *exec.Cmd {
	cmd := exec.Command("wine", append([]string{w.exe}, args...)...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// measure is the command line of a method with its flags, to an agent on this machine.
func (w *wine) measure(method, url string) []string {
	line := append([]string{"measure"}, strings.Fields(method)...)
	return append(line, "--to", url, "--to-address", "127.0.0.1", "--time", "2s", "--repeats", "1", "--json")
}

// wantFigures fails for an answer without a figure for every experiment.
func wantFigures(t *testing.T, a answer, experiments int) {
	t.Helper()
	if a.code != cli.ExitDone {
		t.Fatal(a)
	}
	r := a.run(t)
	if len(r.Experiments) != experiments {
		t.Errorf("%d experiments, want %d", len(r.Experiments), experiments)
	}
	for _, x := range r.Experiments {
		switch {
		case x.Method == "throughput" && (x.Goodput == nil || x.Goodput.Median <= 0):
			t.Errorf("%s %s: goodput %+v, failed %q", x.Method, x.Direction, x.Goodput, x.Failed)
		case x.Method == "latency" && (x.Latency == nil || x.Latency.Count == 0):
			t.Errorf("%s: latency %+v, failed %q", x.Method, x.Latency, x.Failed)
		}
	}
	for _, h := range r.Hosts {
		t.Logf("%s: %s %s, connection %s", h.Name, h.OS, h.Kernel, h.Connection)
	}
}

func TestWine(t *testing.T) {
	t.Parallel()
	w := needWine(t)
	methods := []struct {
		name string
		n    int
	}{{"throughput", 2}, {"latency", 1}, {"throughput --transport udp", 2}, {"latency --transport udp", 1}}

	t.Run("version", func(t *testing.T) {
		if a := finish(t, w.windows("version")); a.code != 0 || !strings.Contains(a.out, "windows") {
			t.Fatal(a)
		}
	})
	for _, m := range methods {
		t.Run("agent on Windows, "+m.name, func(t *testing.T) {
			l := startListener(t, w.windows("agent", "--listen", "127.0.0.1:0"))
			a := w.linerate(t, w.measure(m.name, l.url)...)
			wantFigures(t, a, m.n)
			l.ended(t)
		})
		t.Run("controller on Windows, "+m.name, func(t *testing.T) {
			l := startListener(t, w.command(t, "agent", "--listen", "127.0.0.1:0"))
			a := finish(t, w.windows(w.measure(m.name, l.url)...))
			wantFigures(t, a, m.n)
			l.ended(t)
		})
	}
	w.blocks(t)
	t.Run("agent ends with its standard input", func(t *testing.T) {
		cmd := w.windows("agent")
		in, ierr := cmd.StdinPipe()
		out, oerr := cmd.StdoutPipe()
		testenv.Check(t, errors.Join(ierr, oerr, cmd.Start()))
		late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Errorf("it does not say hello: %v", err)
		}
		late.Stop()
		in.Close()
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ended:
		case <-time.After(patience):
			cmd.Process.Kill()
			t.Error("it is still there")
		}
	})
	t.Run("no lab", func(t *testing.T) {
		if a := finish(t, w.windows("lab", "list")); a.code == 0 || !strings.Contains(a.err, "windows") {
			t.Error(a)
		}
	})
	t.Run("a port in use", func(t *testing.T) {
		taken := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer taken.Close()
		if a := finish(t, w.windows("agent", "--listen", taken.Addr().String())); a.code != cli.ExitFailed ||
			!strings.Contains(a.err, "in use") {
			t.Error(a)
		}
	})
	t.Run("no agent left in TEMP", func(t *testing.T) {
		// Folders of measure stay: os.RemoveAll needs a call that Wine 8 does not have ("Invalid function").
		left, _ := filepath.Glob(w.path("prefix", "drive_c", "users", "*", "Temp", "linerate-agent*"))
		if len(left) > 0 {
			t.Errorf("%v", left)
		}
	})
}

// wineBlock are the flags of a storage measurement between two systems: a new file, both orders, both kinds of request,
// verified. It has an amount instead of a time: Wine may pause for longer than any.
func (w *wine) wineBlock(where ...string) []string {
	return append([]string{"measure", "storage", "--span", "8MiB", "--load", "SEQ1M-Q8T1,RND4K-Q32T2", "--read", "100%,0%",
		"--verify", "--amount", "8MiB", "--repeats", "1", "--json"}, where...)
}

// storedUnderWine fails for an answer in which storage was not read and written by Windows' own calls, or was not what
// had been written.
func storedUnderWine(t *testing.T, a answer) {
	t.Helper()
	if a.code != cli.ExitDone {
		t.Fatal(a)
	}
	r := a.run(t)
	if len(r.Experiments) != 4 {
		t.Fatalf("%d experiments, want 4: %s", len(r.Experiments), a)
	}
	for _, x := range r.Experiments {
		b := x.Block
		if b == nil || x.IOPS == nil || x.Latency == nil || len(b.Workers) != 1 {
			t.Errorf("%v: %s, %+v", x.Settings, x.Failed, b)
			continue
		}
		k := b.Workers[0]
		if v := k.Verified; v == nil || v.Wrong > 0 || v.Right == 0 || k.Way != block.WayOverlapped || k.ErrorCount > 0 ||
			!k.Created {
			t.Errorf("%v: %+v, verified %+v", x.Settings, k, v)
		}
	}
}

// blocks runs the method storage with only the Windows program, and with it as the agent of a Linux controller, whose
// paths are not Windows'.
func (w *wine) blocks(t *testing.T) {
	storage := w.path("prefix", "drive_c", "storage")
	testenv.Check(t, os.Mkdir(storage, 0o700))
	empty := func(t *testing.T) {
		if left, err := os.ReadDir(storage); err != nil ||
			slices.ContainsFunc(left, func(e os.DirEntry) bool { return e.Name() != "mine.dat" }) {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	t.Run("block, all on Windows", func(t *testing.T) {
		storedUnderWine(t, finish(t, w.windows(w.wineBlock("--to", `C:\storage`)...)))
		empty(t)
	})
	t.Run("block, agent on Windows", func(t *testing.T) {
		l := startListener(t, w.windows("agent", "--listen", "127.0.0.1:0", "--allow", "storage-write"))
		storedUnderWine(t, w.linerate(t, w.wineBlock("--from", l.url, "--to", `C:\storage`)...))
		l.ended(t)
		empty(t)
	})
	t.Run("block, cdm on Windows", func(t *testing.T) {
		a := finish(t, w.windows("measure", "storage", "--profile", "cdm", "--to", `C:\storage`, "--span", "8MiB", "--time",
			"200ms", "--repeats", "1", "--all"))
		if a.code != cli.ExitDone || !strings.Contains(a.out, "SEQ1M") || !strings.Contains(a.out, "RND4K") {
			t.Error(a)
		}
		empty(t)
	})
	t.Run("block, a file of the user's", func(t *testing.T) {
		mine := filepath.Join(storage, "mine.dat")
		text := []byte(strings.Repeat("mine", 1<<14))
		testenv.WriteFile(t, mine, text, 0o600)
		a := finish(t, w.windows("measure", "storage", "--to", `C:\storage\mine.dat`, "--read", "0%", "--time", "200ms",
			"--repeats", "1"))
		if a.code != cli.ExitRefused || !strings.Contains(a.err+a.out, "mine.dat") {
			t.Errorf("want exit code %d: %s", cli.ExitRefused, a)
		}
		if now, err := os.ReadFile(mine); err != nil || string(now) != string(text) {
			t.Errorf("the file was changed: %v", err)
		}
	})
}
