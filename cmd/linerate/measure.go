package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/manual"
	"linerate/internal/cli/measure"
	"linerate/internal/cli/setting"
	"linerate/internal/design/fabric"
	"linerate/internal/run/experiment"
	"linerate/internal/run/storage"
)

func measureCommand(e *cli.Env) *cobra.Command {
	var f measure.Flags
	c := &cobra.Command{
		Use:   "measure " + strings.Join(measure.ByHand(), "|") + " [HOST]",
		Short: "Measure one thing by hand, without a fabric file",
		Example: `  linerate measure throughput nas
  linerate measure latency nas --every 1ms --streams 1,4 --under-load
  linerate measure throughput nas --link 25G --size 512B..1MiB --streams 1,4,8 -o sweep
  linerate measure rdma nas --op write,send,read --threads 1,2,4,8 --size 1B..1KiB
  linerate measure acceptance nas --bit-error-rate 1e-12 -o tested
  linerate measure throughput nas --streams 1 --compare-with "--streams 4" --repeats 10
  linerate measure throughput --from "netns a" --to "netns b" --to-address 10.9.0.2 --link 1G`,
		Args:        cli.RangeArgs(1, 2),
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			measure.ReadHost(e, c, &f, args)
			f.Given = cli.GivenFlags(c.Flags())
			return measure.Run(c.Context(), e, method.Canonical(args[0]), f)
		},
	}
	f.Define(c.Flags())
	c.AddCommand(measureCommandCommand(e), measureStorageCommand(e), measureCopyCommand(e))
	c.Long = methodList(c) + "\n\n" + aboutEnds
	helpsMethods(c)
	return c
}

func measureCommandCommand(e *cli.Env) *cobra.Command {
	var f measure.CommandFlags
	c := &cobra.Command{
		Use:     "command [HOST[,HOST..]] [-- COMMAND..]",
		Aliases: []string{method.Named(method.Command).Alias},
		Hidden:  true, // the help of measure has it
		Short:   "Run a command as a test and extract a number from its output",
		Long: `Runs a command, takes one figure from its output, and reports what the CPU and the network did meanwhile. Without --extract and --app the figure is the time that it takes.

One host runs the command itself. Of several hosts the first one runs it, and its mpirun (or srun) starts ranks on all. With a server (--server, or a program that has one, such as
iperf3) the last host runs the server, and the one before, or else this machine, the command.
HOST is short for --from "ssh HOST"; ranges such as n[1-4] work. No shell reads the command. {processes} {threads} {hosts} {address} {peer_address} {port} {hostfile} {folder}
and others are replaced by values (docs/fabric.md).`,
		Example: `  linerate measure command n1 -- ./solver --steps 100
  linerate measure command nas --app iperf3 --repeats 5
  linerate measure command n1,n2 --app lammps --processes 2 -- mpirun -n {processes} lmp -in /data/in.rhodo
  linerate measure command n[1-4] --processes 4,8 --extract 'Loop time of (\S+)' --unit s --files in.lj -- mpirun -n {processes} lmp -in in.lj
  linerate measure command --from "netns a" --to "netns b" --server "nc -l {port}" --time 20s -- sh -c 'cat /data/file | nc $1 $2' sh {peer_address} {port}`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{cli.ChecksItself: "yes", manual.Shown: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			f.Hosts = args
			if at := c.ArgsLenAtDash(); at >= 0 {
				f.Hosts, f.Command = args[:at], args[at:]
			}
			return measure.RunAs(e, c, method.Command, &f.Flags,
				func() (*fabric.Experiment, inventory.Ends, error) { return measure.CheckCommand(e, &f) })
		},
	}
	flags := c.Flags()
	flags.StringArrayVar(&f.From, "from", nil,
		"hosts, the one with the command first; a range such as \"ssh n[1-4]\"")
	flags.StringArrayVar(&f.To, "to", nil, "host with the server")
	flags.StringVar(&f.ToAddress, "to-address", "",
		"address in the measured network (default: the fastest subnet that all share)")
	flags.StringVar(&f.Figure, "extract", "",
		"regular expression with one group ( ) around the number to extract")
	flags.StringVar(&f.Unit, "unit", "", "unit of the extracted number")
	flags.StringSliceVar(&f.Files, "files", nil,
		"files below this folder to copy into {folder}, where the command starts")
	flags.IntVar(&f.Repeats, "repeats", experiment.DefaultRepeats, "number of repeats")
	f.Settings = setting.Add(flags, method.Command)
	f.AddKept(flags, ", with all output of the command")
	return c
}

func measureCopyCommand(e *cli.Env) *cobra.Command {
	var f measure.CopyFlags
	c := &cobra.Command{
		Use:    "copy --from [CONNECTION:]PATH --to [CONNECTION:]PATH",
		Hidden: true, // the help of measure has it
		Short:  "Time file copies with cp, rsync, scp, smbclient or robocopy",
		Long: `Copies files and says how long it took, with the sync of what was written, and what the CPUs, the drives and the network of both hosts did meanwhile.

CONNECTION is one of measure's (ssh nas, netns a, lab ID/n1); without it PATH is of this machine. The source is a file, which is only read, or a folder, in which files of --amount are
made; the target is a folder. What is made, and what is copied, is in folders of linerate's own, which are removed at the end; nothing is ever written over. Two paths of one host are
copied with cp (Windows: robocopy): a share that is mounted is such a path. Between two hosts the copy goes over --transport:

  ssh     the user's own; the default where the connection to the other end is ssh
  http    linerate's own server; else the default
  smb     a Samba of its own at the source; needs samba there, and smbclient at the other end

What arrived is compared with the source behind the time that counts: a copy that differs is an error.`,
		Example: `  linerate measure copy --from /mnt/tank --to /mnt/nas --amount 3.2GB
  linerate measure copy --from /home/me/film.mkv --to "ssh root@nas:/mnt/tank" --tool scp,rsync
  linerate measure copy --from "ssh nas:/mnt/tank" --to /tmp --transport smb --amount 10GiB --streams 1,3
  linerate measure copy --from /mnt/tank --to /mnt/nas --amount 1GiB --files 1,10000 --cache cold,warm --direction out,in`,
		Args:        cli.NoArgs,
		Annotations: map[string]string{cli.ChecksItself: "yes", manual.Shown: "yes"},
		RunE: func(c *cobra.Command, _ []string) error {
			return measure.RunAs(e, c, method.Copy, &f.Flags,
				func() (*fabric.Experiment, inventory.Ends, error) { return measure.CheckCopy(e, &f) })
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Source, "from", "", "source: a file, or a folder in which linerate makes files")
	flags.StringVar(&f.Target, "to", "", "target: a folder")
	flags.StringVar(&f.ToAddress, "to-address", "",
		"address in the network to use (default: the fastest subnet that both share)")
	flags.IntVar(&f.Repeats, "repeats", experiment.DefaultRepeats, "number of repeats")
	f.Settings = setting.Add(flags, method.Copy)
	f.AddKept(flags, "")
	return c
}

func measureStorageCommand(e *cli.Env) *cobra.Command {
	var f measure.StorageFlags
	names, about := storage.Profiles()
	var profiles strings.Builder
	for _, name := range names {
		if slices.Contains([]string{"general", "peak", "vdi", "sql"}, name) { // described with vmfleet
			continue
		}
		fmt.Fprintf(&profiles, "\n  %-10s  %s", name, about[name])
	}
	c := &cobra.Command{
		Use:     "storage --to PATH",
		Aliases: []string{method.Named(method.Storage).Alias},
		Hidden:  true, // the help of measure has it
		Short:   "Measure reads and writes of a file, a folder, a mounted share or a device",
		Long: `Reads and writes blocks, and reports rates and latencies, with what the CPU, the drive and the network did meanwhile. PATH is a path on the host of --from (default: this machine).
Behind it may be a drive, or a share or LUN that the host has mounted. --storage names the host that has the storage: linerate watches it in the same interval.

In a folder, or for a file that does not exist, linerate makes a file of --span and removes it at the end. It only reads an existing file or device. It writes to a device only if
--destroy names it with its serial number (or its size, if it has none) and nothing uses it. nvme-tcp://HOST:PORT/NQN is an NVMe/TCP subsystem, read by linerate's own initiator.

Profiles:` + profiles.String(),
		Example: `  linerate measure storage --to /mnt/tank/bench --profile cdm
  linerate measure storage --to /mnt/nas --storage "ssh root@nas" --load SEQ1M-Q8T1 --read 100%,0%
  linerate measure storage --from "ssh n[1-4]" --to /mnt/csv --size 4KiB..1MiB --access random --depth 32 --read 70%
  linerate measure storage --to /dev/nvme1n1 --load RND4K-Q32T16 --read 0% --destroy /dev/nvme1n1=S4EVNX0M`,
		Args:        cli.NoArgs,
		Annotations: map[string]string{cli.ChecksItself: "yes", manual.Shown: "yes"},
		RunE: func(c *cobra.Command, _ []string) error {
			return measure.RunAs(e, c, method.Storage, &f.Flags,
				func() (*fabric.Experiment, inventory.Ends, error) { return measure.CheckStorage(e, &f) })
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Target, "to", "", "file, folder, device or nvme-tcp://HOST:PORT/NQN, as --from sees it")
	flags.StringArrayVar(&f.From, "from", nil,
		"client (default local); several, or a range such as \"ssh n[1-4]\"")
	flags.StringVar(&f.Storage, "storage", "", "host that has the storage; linerate watches it, too")
	flags.StringVar(&f.ToAddress, "to-address", "",
		"address in the network to watch (default: the fastest subnet that both share)")
	flags.StringArrayVar(&f.Destroy, "destroy", nil,
		"DEVICE=SERIAL or DEVICE=SIZE: overwrite this device")
	flags.IntVar(&f.Repeats, "repeats", experiment.DefaultRepeats, "number of repeats; a profile may have its own")
	f.Settings = setting.Add(flags, method.Storage)
	f.AddKept(flags, "")
	return c
}
