package rdmatest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"linerate/rdma"
)

// Fabric is two guests, joined by a link for soft RoCE (rxe0, the addresses of RoCE) and one for soft iWARP (siw0,
// those of IWARP).
const Fabric = `fabric: verbs
addressing: {pool: 10.0.0.0/16, prefix: 24, avoid: [10.0.0.0/24]}
hosts:
  a: {os: linux, guest: true, nics: {tcp: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: iwarp}, roce: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: rocev2}}}
  b: {os: linux, guest: true, nics: {tcp: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: iwarp}, roce: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: rocev2}}}
links:
  - {ends: [a.tcp, b.tcp], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
  - {ends: [a.roce, b.roce], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
experiments:
  write: {method: rdma, from: a, to: b, transport: rocev2, op: write}
`

// Addresses in Fabric, of a and of b.
var (
	RoCE  = [2]string{"10.0.2.1", "10.0.2.2"}
	IWARP = [2]string{"10.0.1.1", "10.0.1.2"}
)

// Hosts are the names of the guests.
var Hosts = [2]string{"a", "b"}

// ErrNoGuests is a machine on which guests cannot start.
var ErrNoGuests = errors.New("no guests here")

// Guests is a lab of two guests with linerate-verbs at Program in each.
type Guests struct {
	Missing []string // modules that the guests need and the cache does not have

	exe, id string
	env     []string
	clock   [2]time.Duration
}

// Program is the path of linerate-verbs in a guest.
const Program = "/run/linerate-verbs"

// Up builds linerate in the project's folder and linerate-verbs, and starts Fabric with folder, which must be the
// caller's own, for its files; guests see the content of its folder share at /share.
func Up(ctx context.Context, project, folder string) (*Guests, error) {
	g := &Guests{exe: filepath.Join(folder, "program")} // the folder linerate is for labs
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", g.exe, "./cmd/linerate")
	build.Dir = project
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // a guest has no libc
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	share, file := filepath.Join(folder, "share"), filepath.Join(folder, "verbs.yaml")
	program, err := rdma.Build(ctx, share)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, []byte(Fabric), 0o600); err != nil {
		return nil, err
	}
	g.env = append(os.Environ(), "XDG_RUNTIME_DIR="+folder)
	for range 3 { // a guest that booted on a busy machine may have a clock that is ten times too fast
		if err = g.up(ctx, file, share, filepath.Base(program)); err == nil {
			return g, nil
		}
		g.Down()
	}
	return nil, err
}

func (g *Guests) up(ctx context.Context, file, share, program string) error {
	out, err := g.linerate(ctx, "lab", "up", file, "--share", share+":rw", "--json")
	var info struct {
		ID     string
		Guests []struct {
			Failed  string
			Missing []string `json:"lacks"`
		}
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), &info); err != nil {
		return err
	}
	g.id, g.Missing = info.ID, nil
	if len(info.Guests) != 2 {
		return fmt.Errorf("%w: the lab has %d", ErrNoGuests, len(info.Guests))
	}
	for _, guest := range info.Guests {
		if guest.Failed != "" {
			return fmt.Errorf("%w: %s", ErrNoGuests, guest.Failed)
		}
		g.Missing = append(g.Missing, guest.Missing...)
	}
	for i, host := range Hosts {
		if _, err := g.On(ctx, host, "cp /share/"+program+" "+Program); err != nil {
			return err
		}
		first, err := g.offset(ctx, i)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		if g.clock[i], err = g.offset(ctx, i); err != nil {
			return err
		}
		if off := (g.clock[i] - first).Seconds(); math.Abs(off) > 0.2 {
			return fmt.Errorf("%s: in one second its clock goes wrong by %.2f s", host, off)
		}
	}
	return nil
}

// linerate runs a command of linerate and returns its output.
func (g *Guests) linerate(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, g.exe, args...)
	cmd.Env = g.env
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("linerate %s: %w: %s%s", strings.Join(args, " "), err, out, said.String())
	}
	return string(out), err
}

// On runs a shell line in a guest and returns its output.
func (g *Guests) On(ctx context.Context, host, line string) (string, error) {
	return g.linerate(ctx, "lab", "exec", g.id+"/"+host, "--", "sh", "-c", line)
}

// offset is what to add to this machine's monotonic time for a guest's, within some ten milliseconds.
func (g *Guests) offset(ctx context.Context, i int) (time.Duration, error) {
	before := Now()
	text, err := g.On(ctx, Hosts[i], "cat /proc/uptime")
	if err != nil {
		return 0, err
	}
	seconds, _, _ := strings.Cut(text, " ")
	up, err := strconv.ParseFloat(seconds, 64)
	return time.Duration(up*1e9) - (before+Now())/2, err
}

// Command is linerate-verbs in a guest.
func (g *Guests) Command(host string) []string {
	return append(
		[]string{"env", "XDG_RUNTIME_DIR=" + filepath.Dir(g.exe), g.exe, "lab", "exec", g.id + "/" + host, "--"}, Program)
}

// Run runs a case between the guests, the first as the end `from`.
func (g *Guests) Run(ctx context.Context, c Case) (Outcome, error) {
	var ends [2]*End
	for i, host := range Hosts {
		e, err := Start(ctx, host, g.Command(host)...)
		if err != nil {
			return Outcome{}, err
		}
		defer e.Close()
		ends[i] = e
	}
	addresses := RoCE
	if c.Device == "siw0" {
		addresses = IWARP
	}
	return c.Run(ctx, ends, addresses, func(i int) (time.Duration, error) { return g.clock[i], nil })
}

// Down ends the lab.
func (g *Guests) Down() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	words := []string{"lab", "down"}
	if g.id != "" { // another lab of this user is another's
		words = append(words, g.id)
	}
	_, err := g.linerate(ctx, words...)
	return err
}
