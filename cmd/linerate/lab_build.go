package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/lab"
	"linerate/internal/lab/guest"
)

func (e *env) labBuild() *cobra.Command {
	var modules, systems []string
	var asJSON bool
	c := &cobra.Command{
		Use: "build", Short: "Build what guests are made of, before they are needed",
		Long: `Guests, the hosts of a lab that are whole machines, are made of Debian's packages.
lab up and run --lab build their image where the cache does not have it: some 150 MB
to fetch. Here that is done beforehand.

--image systemd also builds the one of hosts with guest: systemd: Debian with systemd,
udev, systemd-networkd, NetworkManager, netplan and ifupdown, on a disk that outlives
a reboot.

--modules builds what Debian's kernel leaves out, from its source (170 MB to fetch),
without root and into the cache:
  siw        soft iWARP: RDMA devices on cards with rdma: iwarp
  smbdirect  SMB Direct in cifs and ksmbd, the kernel's client and server of SMB
What the compiler says stands in full in the cache, in a file ending in .modules.log.`,
		Example: `  linerate lab build
  linerate lab build --image systemd
  linerate lab build --modules siw,smbdirect`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("modules") && len(modules) == 0 {
				modules = []string{""}
			}
			if c.Flags().Changed("image") && len(systems) == 0 {
				systems = []string{""}
			}
			if err := guest.CheckKinds(systems); err != nil {
				return fail(exitInput, fmt.Errorf("--image: %w", err))
			}
			if err := guest.CheckModules(modules); err != nil {
				return fail(exitInput, fmt.Errorf("--modules: %w", err))
			}
			b, err := lab.Build(c.Context(), systems, modules, e.say)
			var lack *guest.LackError
			if errors.As(err, &lack) {
				return fail(exitIncomplete, err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return e.object("lab-build", b)
			}
			fmt.Fprintln(e.out, builtLine("image", b.Image))
			for _, s := range b.Systems {
				fmt.Fprintln(e.out, builtLine("image", s))
			}
			if b.Modules != nil {
				fmt.Fprintln(e.out, builtLine("modules", *b.Modules))
			}
			if b.NoQEMU != "" {
				fmt.Fprintf(e.err, "linerate: no guest can be started here: %s\n", b.NoQEMU)
			}
			return nil
		},
	}
	c.Flags().StringSliceVar(&systems, "image", nil, "also build the image of an operating system: "+strings.Join(guest.Kinds(), ", "))
	c.Flags().StringSliceVar(&modules, "modules", nil, "also build these: "+strings.Join(guest.ModuleNames(), ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// builtLine says where a part is, how large, and how long it took.
func builtLine(what string, p lab.BuiltPart) string {
	if len(p.Names) > 0 {
		what += " " + strings.Join(p.Names, ", ")
	}
	how := "built in"
	if !p.Built {
		how = "in the cache and whole, checked in"
	}
	return fmt.Sprintf("%s: %s, for kernel %s, %s %s\n  %s", what, unit.Bytes(p.Bytes), p.Kernel, how, unit.Seconds(p.Seconds), p.Folder)
}
