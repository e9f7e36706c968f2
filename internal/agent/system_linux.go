package agent

import (
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

	"linerate/internal/agent/process"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/storage/block"
	"linerate/internal/traffic/socket"
)

// BootID is random for each boot of a machine and the same in all its namespaces and containers.
func BootID() string { return readLine("/proc/sys/kernel/random/boot_id") }

// readLine is the text of a file without spaces at its ends; empty where it cannot be read.
func readLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// memoryLimit is a quarter of this host's memory in bytes; 0: unknown.
func memoryLimit() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(uint64(info.Totalram) * uint64(info.Unit) / 4)
}

// busy is the share of the CPUs that other processes use while this one does nothing. /proc/stat:
// https://docs.kernel.org/filesystems/proc.html
func busy(ctx context.Context) *facts.Busy {
	look := func() (worked, all float64, cores int, own time.Duration, ok bool) {
		text, err := os.ReadFile("/proc/stat")
		if err != nil {
			return
		}
		list, err := linux.ParseStat(text)
		var used unix.Rusage
		if err != nil || unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
			return
		}
		worked, all = facts.CPUs(list)
		return worked, all, len(list), time.Duration(used.Utime.Nano() + used.Stime.Nano()), true
	}
	worked, all, cores, own, ok := look()
	select {
	case <-time.After(busyInterval):
	case <-ctx.Done():
		return nil
	}
	worked2, all2, _, own2, ok2 := look()
	if !ok || !ok2 || all2 <= all {
		return nil
	}
	others := max(0, worked2-worked-(own2-own).Seconds())
	return &facts.Busy{Cores: cores, Share: others / (all2 - all), Interval: busyInterval}
}

// moreNeeds is what only Linux has.
func moreNeeds(ctx context.Context, n *facts.Needs) {
	for _, name := range []string{"/etc/os-release", "/usr/lib/os-release"} { // the order of os-release(5)
		if text, err := os.ReadFile(name); err == nil {
			n.System, n.Family = facts.ParseRelease(text)
			break
		}
	}
	for line := range strings.Lines(readLine("/proc/self/status")) {
		if value, ok := strings.CutPrefix(line, "CapEff:"); ok {
			if mask, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64); err == nil {
				n.Capabilities = &mask
			}
		}
	}
	n.ClockSource = readLine("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	n.NoRing, n.NoNamespaces, n.TCPInfo = block.NoRing(), noNamespaces(ctx), socket.TCPInfoSize()
	n.Idle = idleStates("/sys/devices/system/cpu/cpu0/cpuidle")
}

// noNamespaces is why this user can make no network namespace; empty: one was made, for a program that ends at once.
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

// idleStates are the idle states that are not disabled. https://docs.kernel.org/admin-guide/pm/cpuidle.html
func idleStates(folder string) []facts.Sleep {
	states, _ := filepath.Glob(filepath.Join(folder, "state*"))
	slices.Sort(states)
	var out []facts.Sleep
	for _, s := range states {
		word := func(name string) string { return readLine(filepath.Join(s, name)) }
		us, err := strconv.Atoi(word("latency"))
		if err != nil || word("disable") == "1" {
			continue
		}
		out = append(out, facts.Sleep{Name: process.Printable(word("name")), Latency: time.Duration(us) * time.Microsecond})
	}
	return out
}
