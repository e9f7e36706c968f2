package deploy

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"linerate/internal/host/connect"
	"linerate/internal/testenv"
)

// windowsHost simulates a Windows host: it answers cmd, and receives a file as the PowerShell script would.
type windowsHost struct {
	t        *testing.T
	scripts  []string // the PowerShell scripts, decoded
	received []byte
	refuse   bool
}

func (h *windowsHost) String() string { return "ssh win" }
func (h *windowsHost) Close() error   { return nil }

type ended int

func (e ended) Wait() (int, error) { return int(e), nil }
func (e ended) Kill() error        { return nil }

func (h *windowsHost) Start(_ context.Context, c connect.Command) (connect.Process, error) {
	switch line := strings.Join(c.Argv, " "); {
	case line == "cmd /c ver":
		fmt.Fprint(c.Stdout, "\r\nMicrosoft Windows [Version 10.0.20348.587]\r\n")
	case line == "cmd /c set PROCESSOR_ARCHITECTURE":
		fmt.Fprint(c.Stdout, "PROCESSOR_ARCHITECTURE=AMD64\r\n")
	case c.Argv[0] == "powershell":
		raw, err := base64.StdEncoding.DecodeString(c.Argv[len(c.Argv)-1])
		if err != nil {
			h.t.Fatal(err)
		}
		units := make([]uint16, len(raw)/2)
		for i := range units {
			units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
		}
		h.scripts = append(h.scripts, string(utf16.Decode(units)))
		if c.Stdin != nil {
			h.received, _ = io.ReadAll(c.Stdin)
			if h.refuse {
				fmt.Fprint(c.Stderr, "the file arrived changed: its SHA-256 is 00\r\n")
				return ended(4), nil
			}
			fmt.Fprint(c.Stdout, "in C:\\Users\\me\\Temp\\linerate-agent-x\\linerate-y.exe:\r\n")
		}
	default:
		fmt.Fprintf(c.Stderr, "'%s' is not recognized as an internal or external command\r\n", c.Argv[0])
		return ended(1), nil
	}
	return ended(0), nil
}

// windowsProgram compiles an empty Windows program.
func windowsProgram(t *testing.T) string {
	tool, err := exec.LookPath("go")
	if err != nil {
		testenv.Missing(t, "Go on PATH")
	}
	dir := sourceTree(t)
	cmd := exec.Command(tool, "build", "-o", "agent.exe", "./cmd/linerate")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "agent.exe")
}

func TestDeployWindows(t *testing.T) {
	testenv.Need(t, testenv.Live)
	file := windowsProgram(t)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	h := &windowsHost{t: t}
	d, err := Deploy(t.Context(), h, Options{AgentFile: file})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Argv) != 2 || d.Argv[0] != `C:\Users\me\Temp\linerate-agent-x\linerate-y.exe` || d.Argv[1] != "agent" {
		t.Errorf("argv %q", d.Argv)
	}
	if string(h.received) != string(data) {
		t.Errorf("%d bytes arrived of %d", len(h.received), len(data))
	}
	script := h.scripts[0]
	for _, words := range []string{"-ne '" + hex.EncodeToString(sum[:]) + "'", "-Algorithm SHA256",
		"linerate-" + hex.EncodeToString(sum[:8]) + ".exe"} {
		if !strings.Contains(script, words) {
			t.Errorf("the script does not have %q:\n%s", words, script)
		}
	}
	if strings.Contains(script, "NONCE") || strings.Contains(script, "-NAME") {
		t.Errorf("the script is not filled in:\n%s", script)
	}
	d.Cleanup()
	if last := h.scripts[len(h.scripts)-1]; len(h.scripts) != 2 || !strings.Contains(last, "Remove-Item") {
		t.Errorf("Cleanup ran %q", h.scripts)
	}

	h.refuse = true
	_, err = Deploy(t.Context(), h, Options{AgentFile: file})
	var e *connect.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "arrived changed") {
		t.Errorf("a changed file: %v", err)
	}
}

// device is a switch, which does not know the commands.
type device struct{ windowsHost }

func (*device) Start(_ context.Context, c connect.Command) (connect.Process, error) {
	fmt.Fprint(c.Stdout, "% Invalid input\r\n")
	return ended(1), nil
}

func TestDeployToASwitch(t *testing.T) {
	if _, err := Deploy(t.Context(), new(device), Options{}); !errors.Is(err, ErrNoAgent) {
		t.Errorf("got %v, want ErrNoAgent", err)
	}
}
