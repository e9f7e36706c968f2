package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
)

func ceilingCommand(e *cli.Env) *cobra.Command {
	var f ceilings.Flags
	c := &cobra.Command{
		Use:   "ceiling [FABRIC.yaml]",
		Short: "Show the theoretical maximum of a path",
		Long: `What physics allows on each path of a fabric file, hop by hop, the lowest last of all.

Without a file each flag adds a hop:

  a link                              --link, --transport
  a bus of a NIC or a drive           --pcie, --drive
  requests in flight                  --depth, --latency, --io
  one core                            --per-packet, --per-byte
  a window or losses at a round trip  --window, --loss, --rtt
  several drives                      --layout, --drives
  copies in a cluster                 --replicas, --nodes

The formulas, with examples, are in docs/ceilings.md.`,
		Example: `  linerate ceiling examples/mesh-10g.yaml
  linerate ceiling --link 40G --mtu 9000 --pcie 3.0x8
  linerate ceiling --link 10G --transport tcp,udp,iwarp --ipv6
  linerate ceiling --link 100G --transport rocev2 --path-mtu 1024 --io 64KiB
  linerate ceiling --link FDR --pcie 3.0x8
  linerate ceiling --link 25G --mtu 9000 --transport nvme-tcp --io 4KiB --drive pcie3x4 --depth 32 --latency 100us
  linerate ceiling --link 40G --per-packet 593ns --per-byte 0.26ns --no-timestamps
  linerate ceiling --link 10G --window 64KiB --rtt 0.1ms --loss 0.1%
  linerate ceiling --drive sata3 --layout raid6 --drives 8
  linerate ceiling --link 25G --transport smb --replicas 3 --nodes 4`,
		Args:        cli.MaximumNArgs(1),
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Given = cli.GivenFlags(cmd.Flags())
			if len(args) == 1 {
				f.OnlyWithout("a fabric file says it; ask without a file, or change the file", &e.Errors, "variant", "json")
				if err := e.Errors.Err(); err != nil {
					return err
				}
				return ceilings.OfFabric(e, args[0], f)
			}
			return ceilings.OfFlags(e, f)
		},
	}
	f.Define(c.Flags())
	return c
}
