package main

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/cli/measure"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// An address without a path: the error names the end without it, and the existing addresses.
func TestAddressesNotShared(t *testing.T) {
	host := func(addresses ...string) *facts.Facts {
		n := facts.Interface{Name: "e0"}
		for _, a := range addresses {
			n.Addresses = append(n.Addresses, netip.MustParsePrefix(a))
		}
		return &facts.Facts{NICs: []facts.Interface{n}}
	}
	from, to := host("10.9.0.1/24", "fe80::1/64"), host("10.9.0.2/24", "10.8.0.2/24")
	for address, want := range map[string]string{
		"10.9.0.7": "--to-address 10.9.0.7: the end of --to does not have this address; it has 10.9.0.2, 10.8.0.2",
		"fd00::1":  "--to-address fd00::1: the end of --to does not have this address; it has 10.9.0.2, 10.8.0.2",
		"10.8.0.2": "--to-address 10.8.0.2: the end of --from has no address in its subnet, only 10.9.0.1",
		"nas":      "--to-address nas: not an IP address",
	} {
		if _, _, err := measure.SharedSubnet(from, to, address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	if _, _, err := measure.SharedSubnet(from, host("10.8.0.2/24"), ""); err == nil ||
		!strings.Contains(err.Error(), "--from has 10.9.0.1, --to has 10.8.0.2") {
		t.Errorf("%v", err)
	}
	if _, _, err := measure.SharedSubnet(from, host("fe80::2/64"), ""); err == nil ||
		!strings.Contains(err.Error(), "--to has none") {
		t.Errorf("%v", err)
	}
	if a, b, err := measure.SharedSubnet(from, to, "10.9.0.2"); err != nil || a.Address.String() != "10.9.0.1/24" ||
		b.Address.String() != "10.9.0.2/24" {
		t.Errorf("%v %v %v", a, b, err)
	}
}

// Two MTUs in one subnet are reported, with both.
func TestMTUsDiffer(t *testing.T) {
	host := func(name string, mtu int, address string) *plan.Host {
		return &plan.Host{Name: name, Ports: []*plan.Port{{Host: name, Interface: "e0", MTU: mtu,
			Address: netip.MustParsePrefix(address)}}}
	}
	a, b := host("a", 9000, "10.9.0.1/24"), host("b", 1500, "10.9.0.2/24")
	got := measure.MtusDiffer([]*plan.Host{a, b})
	if len(got) != 1 || !strings.Contains(got[0], "e0 of b has MTU 1500, e0 of a has 9000") ||
		!strings.Contains(got[0], "ip link set e0 mtu 9000 on b") {
		t.Errorf("%q", got)
	}
	for name, all := range map[string][]*plan.Host{
		"alike":         {a, host("b", 9000, "10.9.0.2/24")},
		"not known":     {a, host("b", 0, "10.9.0.2/24")},
		"other subnets": {a, host("b", 1500, "10.8.0.2/24")},
	} {
		if got := measure.MtusDiffer(all); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Each method in the usage line is known, and all are in it.
func TestMethodsByHand(t *testing.T) {
	command := measureCommand((&cli.Env{}))
	for _, method := range measure.ByHand() {
		sub := slices.ContainsFunc(command.Commands(), func(c *cobra.Command) bool { return c.Name() == method })
		if sub == slices.Contains(measure.BetweenHosts(), method) {
			t.Errorf("%s: it is a command of its own and one of measure, or neither", method)
		}
		if !strings.Contains(command.UseLine(), method) || !slices.Contains(fabric.Methods(), method) {
			t.Errorf("%s: not in %q, or no method of a fabric", method, command.UseLine())
		}
		if a := call(t, nil, "help", "measure", method); a.code != cli.ExitDone ||
			!strings.Contains(a.out, "Usage: linerate measure") {
			t.Errorf("help measure %s: %s", method, a)
		}
	}
	for _, m := range aboutMethods {
		if !slices.Contains(measure.BetweenHosts(), m.name) {
			t.Errorf("%s has a help, and is not a method that shares its flags", m.name)
		}
		for flag := range m.words {
			if command.Flags().Lookup(flag) == nil || !methodTakes(m.name, flag) {
				t.Errorf("%s: words about --%s, which it has not", m.name, flag)
			}
		}
	}
	for _, c := range command.Commands() {
		if !slices.Contains(measure.ByHand(), c.Name()) {
			t.Errorf("measure does not name %s", c.Name())
		}
	}
	for method, flags := range map[string][2][]string{
		"throughput": {{"--copy-mode", "--like-an-application", "--streams", "--json"},
			{"--op", "--every", "--loop", "--under-load", "icmp", "of latency", "of rdma"}},
		"latency":         {{"--every", "--under-load", "icmp"}, {"--copy-mode", "--op", "--bit-error-rate"}},
		method.RDMA:       {{"--op", "--threads", "--device", "rocev2"}, {"--copy-mode", "--every", "--streams", "of rdma"}},
		method.Acceptance: {{"--loop", "--dry-run", "--allow-in-use", "--bit-error-rate"}, {"--op", "--every", "--amount"}},
		"":                {{"throughput  ", "acceptance  ", "storage  ", "METHOD --help"}, {"--streams  ", "--op  "}},
	} {
		args := []string{"measure", method, "--help-all"}
		if method == "" {
			args = []string{"measure", "--help-all"}
		}
		a := call(t, nil, args...)
		_, ours, _ := strings.Cut(a.out, "Usage:") // examples may name anything
		for _, word := range flags[0] {
			if !strings.Contains(ours, word) || a.code != cli.ExitDone {
				t.Errorf("measure %s --help is without %s", method, word)
			}
		}
		for _, word := range flags[1] {
			if strings.Contains(ours, word) {
				t.Errorf("measure %s --help has %s", method, word)
			}
		}
	}
	if a := call(t, nil, "measure", "nas"); strings.Contains(a.err, "name the other end") || a.code != cli.ExitInput {
		t.Errorf("a host in place of the method: %s", a)
	}
}
