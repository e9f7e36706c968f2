package measure

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/traffic"
)

// Ends parses --from and --to, or --loop. Hosts are named by the end of their connections, the ports of a loop by their
// own names, and an end with only an address is called "to".
func (f Flags) Ends() (inventory.Ends, error) {
	if len(f.loop) > 0 {
		return f.loopEnds(), nil
	}
	e := inventory.Ends{Connection: map[string]connect.Spec{}, Flag: map[string]string{}}
	from, err := inventory.Expanded("from", f.From)
	if err != nil {
		return e, err
	}
	to, err := inventory.Expanded("to", f.To)
	if err != nil {
		return e, err
	}
	many := f.eachOnce || len(f.Settings.Texts("traffic")) > 0
	if f.lone() && !many {
		to, e.To = nil, []string{"to"} // only an address, without a connection
	}
	switch {
	case f.lone() && !many:
	case len(to) == 0 && !many:
		return e, inventory.ErrNoEnd
	case !many && (len(from) > 1 || len(to) > 1):
		return e, errors.New("several hosts are measured at once, by a pattern: write --traffic pairs, incast or all-to-all")
	}
	if len(from) == 0 {
		from = []string{"local"}
	}
	byText, names := map[string]string{}, map[string]bool{}
	var wrong []error
	add := func(flag string, list *[]string, texts []string) {
		for _, text := range texts {
			spec, err := connect.Parse(inventory.End(text))
			if err != nil {
				wrong = append(wrong, fmt.Errorf("--%s: %w", flag, err))
				continue
			}
			name, known := byText[text]
			switch {
			case known && slices.Contains(*list, name):
				wrong = append(wrong, cli.Advise(fmt.Errorf("--%s %s: it is there twice", flag, connect.Redact(text)),
					"name each host once"))
				continue
			case !known || !many: // each of two ends on one machine is a host of its own
				name = inventory.Unused(inventory.Name(spec), names)
			}
			byText[text], names[name] = name, true
			*list = append(*list, name)
			if e.Flag[name] == "" {
				e.Connection[name], e.Flag[name] = spec, flag
			}
		}
	}
	add("from", &e.From, from)
	add("to", &e.To, to)
	if len(wrong) > 0 {
		return e, errors.Join(wrong...)
	}
	for _, p := range f.Settings.Texts("traffic") {
		if !slices.Contains([]string{fabric.Pairs, fabric.Incast, fabric.AllToAll}, p) {
			continue // reported with the other values
		}
		x := fabric.Experiment{From: e.From, To: e.To}
		if _, err := x.Flows(p); err != nil {
			return e, fmt.Errorf("--traffic %s: %s", p, asFlags(err.Error()))
		}
	}
	return e, nil
}

// asFlags replaces the keys of a file in a message by flags.
func asFlags(text string) string {
	return strings.NewReplacer(`write from: "n[1-4]"`, `write --from "ssh n[1-4]"`, "write to: HOST",
		`write --to "ssh HOST"`).Replace(text)
}

// ReadHost reads the second argument of a command line, if there is one: the host at the other end.
func ReadHost(e *cli.Env, c *cobra.Command, f *Flags, args []string) {
	if len(args) == 2 && f.onlyICMP() && method.Named(args[0]).RoundTrips && !strings.HasPrefix(args[1], "tcp://") {
		for _, flag := range []string{"to", "to-address"} {
			if c.Flags().Changed(flag) {
				e.Errors.Add(
					cli.Advise(fmt.Errorf("--%s: the other end is named twice, over icmp %s is its address", flag, args[1]),
						"omit one"))
			}
		}
		address, err := resolve(c.Context(), args[1])
		if f.ToAddress = address; err != nil {
			e.Errors.Add(err)
			f.To = []string{"local"} // its absence is reported already
		}
	} else if len(args) == 2 {
		if c.Flags().Changed("to") {
			e.Errors.Add(cli.Advise(
				fmt.Errorf("--to %s: the other end is named twice, %s stands for --to, too",
					connect.Redact(strings.Join(f.To, ", ")), args[1]),
				"omit one"))
			f.To = nil
		}
		f.To = append(f.To, inventory.Connection(args[1]))
	}
}

// onlyICMP reports whether only the from end needs an agent.
func (f Flags) onlyICMP() bool {
	transports := f.Settings.Texts("transport")
	return len(transports) > 0 &&
		!slices.ContainsFunc(transports, func(t string) bool { return strings.TrimSpace(t) != traffic.ICMP }) &&
		!slices.Contains(f.Given, "compare-with")
}

// lone reports whether the other end is only an address.
func (f Flags) lone() bool { return f.onlyICMP() && f.ToAddress != "" }

// resolve is the address of a host that only answers echoes: its own text, or its name resolved, IPv4 first.
func resolve(ctx context.Context, host string) (string, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.String(), nil
	}
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(all) == 0 {
		return "", cli.Advise(fmt.Errorf("%s is not an address, and no name that has one (%v)", host, err),
			fmt.Sprintf(`write its address, or --to "ssh %s" to ask the host itself`, host))
	}
	for _, a := range all {
		if a.Unmap().Is4() {
			return a.Unmap().String(), nil
		}
	}
	return all[0].String(), nil
}

// loneEnd is the ports of a path to an address without facts: from's port in the same subnet, else the one that the
// routes choose, whose speed is then not known.
func loneEnd(from *facts.Facts, address string) (a, b *plan.Port, err error) {
	wanted, err := netip.ParseAddr(address)
	if err != nil {
		return nil, nil, cli.Advise(fmt.Errorf("--to-address %s: not an IP address", address),
			"write one such as 10.9.0.2")
	}
	for i := range from.NICs {
		for _, x := range from.NICs[i].Addresses {
			if x.Contains(wanted.WithZone("")) && !x.Addr().IsLinkLocalUnicast() {
				a := port(&from.NICs[i], x)
				return a, &plan.Port{Interface: "far", Declared: true, Index: 1, MTU: a.MTU,
					Address: netip.PrefixFrom(wanted, x.Bits()), Speed: a.Speed}, nil
			}
		}
	}
	any := netip.IPv4Unspecified()
	if wanted.Is6() {
		any = netip.IPv6Unspecified()
	}
	return &plan.Port{Interface: "routed", Declared: true, Index: 1, Address: netip.PrefixFrom(any, 0),
			Speed: unit.BitRate(0)},
		&plan.Port{Interface: "far", Declared: true, Index: 1, Address: netip.PrefixFrom(wanted, 0)}, nil
}
