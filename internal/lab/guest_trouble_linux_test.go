package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/labtest"
	"linerate/internal/testenv"
)

// qemuFlag is QEMU's first argument, by which the test binary replaces QEMU. The kernel's file name selects the
// machine's behaviour.
const qemuFlag = "-name"

const (
	machineDies   = "dies"   // it ends while it boots
	machineHangs  = "hangs"  // it never speaks
	machineMutes  = "mutes"  // it boots, starts one command, and then falls silent
	machineStalls = "stalls" // it boots, and its init is alive, yet no command starts
	machineLags   = "lags"   // the output of a command arrives after its end
	machineBalks  = "balks"  // it boots, and refuses all settings
)

// qemuMain simulates a machine with a console and, if it boots, the channel of a guest's init.
func qemuMain(args []string) int {
	after := func(flag, key string) string {
		for i, a := range args[:len(args)-1] {
			if a == flag && strings.Contains(args[i+1], key) {
				_, value, _ := strings.Cut(args[i+1], key)
				return value
			}
		}
		return ""
	}
	console, err := os.OpenFile(after("-serial", "file:"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	for i := range 30 {
		fmt.Fprintf(console, "[%5d.0] console line %d\r\n", i, i)
	}
	mode := filepath.Base(after("-kernel", ""))
	switch mode {
	case machineDies:
		fmt.Fprintln(console, "Kernel panic - not syncing: System is deadlocked on memory")
		fmt.Fprintln(os.Stderr, "qemu-system-x86_64: terminating")
		return 3
	case machineHangs:
		for { // without cgo, select {} in the only goroutine is a deadlock to Go
			time.Sleep(time.Hour)
		}
	}
	if after("-mon", "chardev=") != "" {
		return systemMain(mode, args, console)
	}
	fd, err := strconv.Atoi(after("-chardev", "fd="))
	if err != nil {
		fmt.Fprintln(os.Stderr, "no channel:", err)
		return 2
	}
	line := &mutable{File: os.NewFile(uintptr(fd), "channel"), mute: make(chan struct{})}
	guest.Serve(line, &machine{mode: mode, line: line}, nil)
	return 0
}

// mutable is a connection that drops everything once it is mute.
type mutable struct {
	*os.File
	mute chan struct{}
}

func (m *mutable) Write(b []byte) (int, error) {
	select {
	case <-m.mute:
		return len(b), nil
	default:
		return m.File.Write(b)
	}
}

// machine is the init of a guest that accepts every setting.
type machine struct {
	mode string
	line *mutable
}

func (m *machine) Handle(string, json.RawMessage) (any, error) {
	if m.mode == machineBalks {
		return nil, errors.New("interface nic1: the machine has no such NIC")
	}
	return guestState{Kernel: "6.0"}, nil
}

func (m *machine) Start(_ guest.Command, files []*os.File) (guest.Process, error) {
	switch m.mode {
	case machineStalls:
		select {}
	case machineLags:
		fd, err := unix.Dup(int(files[1].Fd()))
		out := os.NewFile(uintptr(fd), "late")
		time.AfterFunc(300*time.Millisecond, func() {
			out.WriteString("late\n")
			out.Close()
		})
		return m, err
	}
	time.AfterFunc(100*time.Millisecond, func() { close(m.line.mute) })
	return m, nil
}

func (m *machine) Kill() {}
func (m *machine) Wait() (exit, signal int) {
	if m.mode == machineLags {
		return 0, 0
	}
	select {}
}

// needTap skips where this user can make no tap, which connects a guest to a namespace.
func needTap(t *testing.T) {
	t.Helper()
	if err := tunMissing(tunDevice); err != nil {
		testenv.Missing(t, err.Error())
	}
}

// pretended returns the parts of guests whose QEMU is this test binary, with the behaviour mode. answer is the limit
// for an answer.
func pretended(t *testing.T, mode string, answer time.Duration) *GuestParts {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	initrd := filepath.Join(t.TempDir(), "initrd")
	testenv.WriteFile(t, initrd, "", 0o600)
	return &GuestParts{Host: guest.Host{QEMU: self, NoKVM: "a test"},
		Image: guest.Image{Kernel: "/" + mode, Initrd: initrd}, Memory: 1 << 20, Boot: patience, Answer: answer}
}

// troubled starts a lab whose host b is a namespace and whose host a is a guest with the behaviour mode.
func troubled(t *testing.T, mode string, change func(*GuestParts)) *Lab {
	t.Helper()
	private(t)
	needTap(t)
	parts := pretended(t, mode, patience)
	if change != nil {
		change(parts)
	}
	p := labtest.Pair(unit.GigabitPerSecond, 1500)
	p.Hosts[0].Decl.Guest = true
	l := up(t, p, Options{Scale: 1, Guests: parts})
	wantOutput(t, l, "b", "hostname", "b") // b runs whatever happens to a
	return l
}

// refused runs a command on the guest, which must fail, and returns why.
func refused(t *testing.T, l *Lab) string {
	t.Helper()
	code, err := Exec(patient(t), l.id+"/a",
		connect.Command{Argv: []string{"true"}, Stdout: io.Discard, Stderr: new(bytes.Buffer)})
	if err == nil {
		t.Fatalf("a command on a guest in trouble ends with %d and no error", code)
	}
	return err.Error()
}

// wantWords fails unless the message has all words.
func wantWords(t *testing.T, message string, words ...string) {
	t.Helper()
	t.Logf("%s", message)
	for _, w := range words {
		if !strings.Contains(message, w) {
			t.Errorf("%q is missing in: %s", w, message)
		}
	}
}

func TestGuestTooLittleMemory(t *testing.T) {
	l := troubled(t, machineHangs, func(p *GuestParts) { p.Memory = 1 << 50 })
	for _, message := range []string{l.Info.Guests[0].Failed, refused(t, l)} {
		wantWords(t, message, "too little memory: a guest of 1024 TiB needs 1152 TiB, and this machine has",
			"make fewer hosts guests")
	}
	if len(l.Info.GuestNames()) != 0 {
		t.Errorf("a guest that was not started is reported as one: %+v", l.Info.Guests)
	}
}

func TestGuestDoesNotBoot(t *testing.T) {
	l := troubled(t, machineHangs, func(p *GuestParts) { p.Boot = 5 * time.Second })
	for _, message := range []string{l.Info.Guests[0].Failed, refused(t, l)} {
		wantWords(t, message, "guest a did not boot within 5s; if this machine is busy",
			"the last lines of its console:\n    [   10.0] console line 10\n", "console line 29")
		if strings.Contains(message, "line 9\n") || strings.ContainsRune(message, '\r') {
			t.Errorf("more than the last %d lines, or control characters: %q", consoleLines, message)
		}
	}
	if notes := strings.Join(l.Info.Emulated,
		"\n"); !strings.Contains(notes, "the guest is not there: guest a did not boot within 5s") ||
		strings.Contains(notes, "console") {
		t.Errorf("what every page says: %s", notes)
	}
	list := listed(t)
	if len(list) != 1 || len(list[0].Guests) != 0 || len(list[0].Failed) != 1 || list[0].Failed[0] != "a" {
		t.Errorf("the list of labs: %+v", list)
	}
}

func TestGuestDiesWhileItBoots(t *testing.T) {
	l := troubled(t, machineDies, nil)
	for _, message := range []string{l.Info.Guests[0].Failed, refused(t, l)} {
		wantWords(t, message, "guest a has ended (QEMU's exit code is 3)", "QEMU says: qemu-system-x86_64: terminating",
			"deadlocked on memory")
		if strings.Count(message, "deadlocked on memory") != 1 {
			t.Errorf("the console is reported more than once: %s", message)
		}
	}
}

// A useless machine is ended, and the reason is kept.
func TestGuestTakesNoSettings(t *testing.T) {
	l := troubled(t, machineBalks, nil)
	for _, message := range []string{l.Info.Guests[0].Failed, refused(t, l)} {
		wantWords(t, message, "guest a: interface nic1: the machine has no such NIC", "console line 29")
	}
	eventually(t, "its QEMU has ended", func() bool {
		return !slices.ContainsFunc(ours(os.Getenv("XDG_RUNTIME_DIR")), func(pid string) bool {
			b, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			return bytes.Contains(b, []byte("\x00"+qemuFlag+"\x00a\x00"))
		})
	})
	wantWords(t, refused(t, l), "guest a: interface nic1: the machine has no such NIC")
}

// Its init is alive, and a command does not start. TestSilentGuest checks the messages and times.
func TestGuestStalls(t *testing.T) {
	l := troubled(t, machineStalls, func(p *GuestParts) { p.Answer = 2 * time.Second })
	list := listed(t)
	if len(list) != 1 || strings.Join(list[0].Guests, " ") != "a" || list[0].Failed != nil {
		t.Errorf("the list of labs: %+v", list)
	}
	wantWords(t, refused(t, l), "guest a has stopped answering: no answer within 2s; ", "linerate lab down "+l.id,
		"console line 29")
}

// The guest falls silent while a command runs.
func TestGuestGoesMute(t *testing.T) {
	l := troubled(t, machineMutes, func(p *GuestParts) { p.Answer = time.Second })
	wantWords(t, refused(t, l), "guest a has stopped answering: no answer within ", "linerate lab down "+l.id,
		"console line 29")
}

// The output of a command that comes after its end arrives, even without a reader that waits for the end of a pipe.
// TestOutputsSettle checks the time limit.
func TestGuestLags(t *testing.T) {
	l := troubled(t, machineLags, nil)
	wantOutput(t, l, "a", "true", "late")
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	code, err := Exec(patient(t), l.id+"/a", connect.Command{Argv: []string{"true"}, Stdout: file})
	if code != 0 || err != nil {
		t.Fatalf("exit code %d, %v", code, err)
	}
	eventually(t, "the file has the output", func() bool {
		got, _ := os.ReadFile(file.Name())
		return string(got) == "late\n"
	})
}
