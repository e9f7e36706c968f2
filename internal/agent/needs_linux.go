package agent

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/facts"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// busy is what others have of the processors while nothing is done here. /proc/stat: https://docs.kernel.org/filesystems/proc.html
func busy(ctx context.Context) *facts.Busy {
	look := func() (worked, all float64, cores int, own time.Duration, ok bool) {
		text, err := os.ReadFile("/proc/stat")
		if err != nil {
			return
		}
		list, err := facts.ParseStat(text)
		var used unix.Rusage
		if err != nil || unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
			return
		}
		worked, all = facts.Processors(list)
		return worked, all, len(list), time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
	}
	worked, all, cores, own, ok := look()
	select {
	case <-time.After(busyWindow):
	case <-ctx.Done():
		return nil
	}
	worked2, all2, _, own2, ok2 := look()
	if !ok || !ok2 || all2 <= all {
		return nil
	}
	others := max(0, worked2-worked-(own2-own).Seconds())
	return &facts.Busy{Cores: cores, Share: others / (all2 - all), Window: busyWindow}
}

// moreNeeds is what only Linux has.
func moreNeeds(ctx context.Context, n *facts.Needs) {
	for _, name := range []string{"/etc/os-release", "/usr/lib/os-release"} { // the order of os-release(5)
		if text, err := os.ReadFile(name); err == nil {
			n.System, n.Family = facts.ParseRelease(text)
			break
		}
	}
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range bytes.Lines(text) {
			if value, ok := strings.CutPrefix(string(line), "CapEff:"); ok {
				if mask, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64); err == nil {
					n.Capabilities = &mask
				}
			}
		}
	}
	if text, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource"); err == nil {
		n.ClockSource = strings.TrimSpace(string(text))
	}
	n.NoRing, n.NoNamespaces, n.TCPInfo = block.NoRing(), noNamespaces(ctx), traffic.TCPInfoSize()
	n.Idle = idleStates("/sys/devices/system/cpu/cpu0/cpuidle")
}

// noNamespaces is why this user can make no network namespace; empty: one was made, for a program that ends at once, and is gone with it.
func noNamespaces(ctx context.Context) string {
	path, err := exec.LookPath("true")
	if err != nil {
		return "not tried: there is no program true"
	}
	c := exec.CommandContext(ctx, path)
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Geteuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	if err := c.Run(); err != nil {
		return fmt.Sprintf("the kernel made none: %v", err)
	}
	return ""
}

// idleStates are those that may be entered. https://docs.kernel.org/admin-guide/pm/cpuidle.html
func idleStates(folder string) []facts.Sleep {
	states, _ := filepath.Glob(filepath.Join(folder, "state*"))
	slices.Sort(states)
	var out []facts.Sleep
	for _, s := range states {
		word := func(name string) string {
			text, err := os.ReadFile(filepath.Join(s, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(text))
		}
		us, err := strconv.Atoi(word("latency"))
		if err != nil || word("disable") == "1" {
			continue
		}
		out = append(out, facts.Sleep{Name: printable(word("name")), Latency: time.Duration(us) * time.Microsecond})
	}
	return out
}
