package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// systemLimit bounds the wait for the end of an operating system's boot, and networkLimit the wait for each of its two
// network managers after it. All together stay below systemTimeout.
const (
	systemLimit  = 120 * time.Second
	networkLimit = 20 * time.Second
)

// networkFiles returns the configuration files of an operating system's network. If there is one, the lab does not
// configure the network.
func networkFiles(root string) (out []string) {
	for _, p := range []string{"etc/systemd/network/*.link", "etc/systemd/network/*.netdev",
		"etc/systemd/network/*.network", "etc/netplan/*.yaml",
		"etc/NetworkManager/system-connections/*", "etc/network/interfaces.d/*"} {
		found, _ := filepath.Glob(filepath.Join(root, p))
		for _, f := range found {
			if fi, err := os.Stat(f); err == nil && fi.Mode().IsRegular() {
				out = append(out, f)
			}
		}
	}
	return out
}

// setupSystem waits until the operating system has booted. Without configuration files it applies the plan's settings
// as in any guest. With them it does not touch the network, so that only the files configure it.
func (g *guestInit) setupSystem(q guestSetup, s guestState) (guestState, error) {
	s.Files = networkFiles("/")
	said, exit, err := g.output("timeout", fmt.Sprint(int(systemLimit.Seconds())), "systemctl", "is-system-running",
		"--wait")
	switch {
	case err != nil:
		return s, fmt.Errorf("whether its operating system has booted: %w", err)
	case said == "degraded":
		failed, _, err := g.output("systemctl", "list-units", "--failed", "--plain", "--no-legend", "--no-pager")
		if err != nil {
			return s, err
		}
		for line := range strings.Lines(failed) {
			s.Notes = append(s.Notes,
				fmt.Sprintf("a unit has failed: %s; systemctl status says why", strings.Join(strings.Fields(line), " ")))
		}
	case said != "running":
		s.Notes = append(s.Notes,
			fmt.Sprintf("its boot has not ended after %v (%s, exit code %d); systemctl list-jobs shows what it waits for",
				systemLimit, said, exit))
	}
	if len(s.Files) == 0 {
		if err := g.settings(q, &s); err != nil {
			return s, err
		}
	} else {
		s.Congestion = readSysctl("/proc/sys/net/ipv4/tcp_congestion_control")
		s.Notes = append(s.Notes, g.awaitNetwork()...)
	}
	return s, g.devices(q, &s)
}

// awaitNetwork waits until systemd-networkd and NetworkManager have applied their files, or report that they cannot.
func (g *guestInit) awaitNetwork() (notes []string) {
	for end := time.Now().Add(networkLimit); ; time.Sleep(50 * time.Millisecond) {
		busy := linksInState("configuring", "pending", "initialized")
		if len(busy) == 0 {
			break
		}
		if time.Now().After(end) {
			notes = append(notes,
				fmt.Sprintf("systemd-networkd has not ended with %s after %v; networkctl status shows its state",
					strings.Join(busy, ", "), networkLimit))
			break
		}
	}
	if failed := linksInState("failed"); len(failed) > 0 {
		notes = append(notes,
			fmt.Sprintf("systemd-networkd has failed on %s; networkctl status says why", strings.Join(failed, ", ")))
	}
	if _, err := os.Stat("/run/NetworkManager/devices"); err == nil {
		if said, exit, err := g.output("nm-online", "-s", "-q", "-t", fmt.Sprint(int(networkLimit.Seconds()))); err != nil ||
			exit != 0 {
			notes = append(notes,
				fmt.Sprintf("NetworkManager has not started every connection after %v %s; nmcli device shows its state",
					networkLimit, said))
		}
	}
	return notes
}

// linksInState returns the interfaces that systemd-networkd has in one of the states (/run/systemd/netif/links, a file
// an interface by its index).
func linksInState(states ...string) (out []string) {
	files, _ := filepath.Glob("/run/systemd/netif/links/*")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, state := range states {
			if strings.Contains("\n"+string(b), "\nADMIN_STATE="+state+"\n") {
				out = append(out, interfaceOf(filepath.Base(f)))
			}
		}
	}
	return out
}

// interfaceOf returns the name of the interface with this index, or the index itself if it no longer exists.
func interfaceOf(index string) string {
	files, _ := filepath.Glob("/sys/class/net/*/ifindex")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && strings.TrimSpace(string(b)) == index {
			return filepath.Base(filepath.Dir(f))
		}
	}
	return index
}
