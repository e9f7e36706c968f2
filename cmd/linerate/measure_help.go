package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/base/method"
	"linerate/internal/cli/job"
)

// aboutMethod is the help of a method that shares its flags with others.
type aboutMethod struct {
	name, short, long, example string
	// of flags that are not settings and have a shorter text than in the help of all methods
	words map[string]string
}

// aboutMethods has one for each method between hosts.
var aboutMethods = []aboutMethod{
	{method.Throughput, "Measure goodput over TCP or UDP between two hosts, and find the bottleneck",
		aboutEnds + "\n\nWithout --direction it measures out, then in. Without --streams it uses one stream.",
		`  linerate measure throughput nas
  linerate measure throughput nas --streams 1,8 --direction out,in,both --link 25G
  linerate measure throughput nas --size 512B..1MiB -o sweep
  linerate measure throughput nas --transport udp --pace 3G --size 8900B
  linerate measure throughput nas --streams 1 --compare-with "--streams 4" --repeats 10
  linerate measure throughput --from "netns a" --to "netns b" --to-address 10.9.0.2 --link 1G --time 4s`,
		nil},
	{method.Latency, "Measure the RTT over TCP, UDP or ICMP, idle and under load",
		aboutEnds + "\n\nWithout --every each request waits for the answer to the one before. With --every requests are " +
			"sent at fixed times, and a late answer delays all that were due meanwhile.\n" +
			"Over icmp HOST is anything that answers echo requests, such as a switch.",
		`  linerate measure latency nas
  linerate measure latency nas --every 1ms --streams 1,4 --under-load
  linerate measure latency nas --load-streams 1,8 --load-direction out,in,both
  linerate measure latency 10.0.0.250 --transport icmp`,
		map[string]string{"under-load": "idle, then with TCP streams as load (--load-streams 4)"}},
	{method.RDMA, "Measure latency and goodput of RDMA write, read and send over RoCE, iWARP or InfiniBand",
		aboutEnds + "\n\nIt measures latency, or goodput with --metric goodput. docs/fabric.md explains each setting.",
		`  linerate measure rdma nas
  linerate measure rdma nas --metric goodput --size 64KiB,1MiB --threads 1,2
  linerate measure rdma nas --op write,send,read --threads 1,2,4,8 --size 1B..1KiB
  linerate measure rdma nas --transport rocev2 --traffic-class 104 --device mlx5_0`,
		nil},
	{method.Acceptance, "Show a bound on the bit errors of a link, with a certificate",
		aboutEnds + `

Both directions are filled for as long as the bound takes. --loop does so on one machine: two of its ports are in
network namespaces meanwhile, and come back as they
were, also after kill -9. One with an address, a route or this ssh session needs --allow-in-use PORT, too; --dry-run
says what would be done.`,
		`  linerate measure acceptance nas --link 25G -o tested
  linerate measure acceptance nas --bit-error-rate 1e-13
  linerate measure acceptance --loop enp1s0f0,enp1s0f1 --dry-run`,
		nil},
}

const aboutEnds = `HOST is short for --from local --to "ssh HOST". --from and --to are connections: local, netns NAME, ssh [USER@]HOST,
lab ID/HOST, srun -w NODE, tcp://ADDRESS:PORT#SECRET (an agent --listen), kubectl POD (not verified on a cluster).`

// flagsOfOne are flags of one method that are not settings of an experiment.
var flagsOfOne = map[string]string{"under-load": method.Latency, "like-an-application": method.Throughput,
	"loop": method.Acceptance, "allow-in-use": method.Acceptance, "dry-run": method.Acceptance}

// methodTakes reports whether a flag of measure has a meaning for a method.
func methodTakes(name, flag string) bool {
	if of, ok := flagsOfOne[flag]; ok {
		return of == name
	}
	return method.Takes(name, strings.ReplaceAll(flag, "-", "_"))
}

// helpsMethods makes the help of measure with a method the method's own, with only its flags, and without one the list
// of methods.
func helpsMethods(c *cobra.Command) {
	c.SetHelpFunc(func(asked *cobra.Command, args []string) {
		if asked == c {
			about := aboutMethod{"", c.Short, c.Long, c.Example, nil}
			for _, word := range args {
				if i := slices.IndexFunc(aboutMethods,
					func(m aboutMethod) bool { return m.name == method.Canonical(word) }); i >= 0 {
					about = aboutMethods[i]
					break
				}
			}
			asked = about.command(c)
		}
		c.Root().HelpFunc()(asked, args)
	})
}

// command is a command from which the help of a method is generated.
func (m aboutMethod) command(measure *cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: measure.CommandPath() + " " + m.name + " [HOST]", Short: m.short, Long: m.long,
		Example: m.example, Run: func(*cobra.Command, []string) {}}
	if m.name == "" {
		c.Use = measure.UseLine()
	}
	measure.Flags().VisitAll(func(f *pflag.Flag) {
		if m.name == "" || !methodTakes(m.name, f.Name) || slices.Contains(job.FlagsOfOthers, f.Name) {
			return
		}
		own := *f
		own.Hidden = false
		own.Usage = strings.TrimPrefix(own.Usage, "of "+m.name+": ")
		set, _ := method.SettingOf(strings.ReplaceAll(f.Name, "-", "_"))
		if words := cmp.Or(m.words[f.Name], set.Flags[method.Shared].UsageOf[m.name]); words != "" {
			own.Usage = words
		} else if f.Name == "help" {
			own.Usage = "this help"
		}
		c.Flags().AddFlag(&own)
	})
	c.SetOut(measure.OutOrStdout())
	return c
}

// methodList is the list of all methods, which the help of measure has instead of their flags.
func methodList(measure *cobra.Command) string {
	lines := []string{"Methods, each with a help of its own (linerate measure METHOD --help):"}
	for _, m := range aboutMethods {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", m.name, m.short))
	}
	for _, c := range measure.Commands() {
		lines = append(lines, fmt.Sprintf("  %-10s  %s", c.Name(), c.Short))
	}
	return strings.Join(lines, "\n")
}
