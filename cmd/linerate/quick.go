package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/diag"
	"linerate/internal/cli"
	"linerate/internal/cli/job"
	"linerate/internal/cli/measure"
	"linerate/internal/cli/quick"
	"linerate/internal/lab"
	"linerate/internal/report/summary"
)

func quickCommand(e *cli.Env) *cobra.Command {
	var f quick.Flags
	var link string
	c := &cobra.Command{
		Use:   "quick HOST",
		Short: "Test the link to another machine (1 minute, no file)",
		Long: `Looks at this machine and HOST, measures the fastest network that they share for
about a minute, and prints the report. It measures TCP with 1 and 8 streams each way
and both ways at once, the round trip idle and under load, and RDMA if both ends have
it. The run folder has report.html. linerate share prints a summary of it to post.

--to adds CrystalDiskMark's four rows, and half a minute each: a folder of this
machine, where a share may be mounted, or HOST:FOLDER, which HOST itself asks.
A file is made in it, of 256 MiB or a quarter of the room, and removed; no other
file is touched.

A HOST is a name for ssh (root@nas too), or a connection: "netns A", "lab a1b2/nas".
Nothing is changed on either machine, and without --to no test file is written. With
--lab the two are namespaces of this machine, and storage is not measured.`,
		Example: `  linerate quick nas
  linerate quick nas --to /mnt/nas --to nas:/tank    a share of nas, and its drives
  linerate quick nas --link 10G                      a virtual NIC that says no speed
  linerate quick --lab
  linerate quick root@nas --format markdown
  linerate quick "netns B" --from "netns A"`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.Lab && len(args) > 0:
				return cli.Fail(cli.ExitInput, cli.Advise(
					fmt.Errorf("quick --lab measures two namespaces of this machine, and %s is another", args[0]),
					"omit one of the two"))
			case f.Lab && len(f.To) > 0:
				return cli.Fail(cli.ExitInput, cli.Advise(
					fmt.Errorf("--to %s: quick --lab measures the network alone", f.To[0]),
					"omit one of the two"))
			case f.Lab && f.From != "":
				return cli.Fail(cli.ExitInput, cli.Advise(
					errors.New("--from: quick --lab measures two namespaces of this machine"),
					"omit one of the two"))
			case f.Lab && f.InLab != "":
				return cli.Fail(cli.ExitInput, cli.Advise(
					fmt.Errorf("--lab builds a lab, and --in-lab %s uses one that is up", f.InLab),
					"give one of the two"))
			case f.InLab != "" && (len(args) != 1 || f.From == ""):
				return cli.Fail(cli.ExitInput, fmt.Errorf("--in-lab %s: name two hosts of that lab: linerate quick HOST --from "+
					"HOST --in-lab %s", f.InLab, f.InLab))
			case !f.Lab && len(args) > 1:
				return cli.Fail(cli.ExitInput, cli.Advise(fmt.Errorf("quick takes one HOST, and these are %d: %s", len(args),
					strings.Join(args, ", ")), "write a connection of two words in quotes: linerate quick \"netns b\"",
					"to test between two other hosts: linerate quick HOST --from HOST"))
			case !f.Lab && len(args) != 1:
				return cli.Fail(cli.ExitInput, &cli.Advice{ID: diag.ArgumentMissing, Text: "missing HOST",
					Help: []string{"write linerate quick root@nas", "or --lab, which simulates two machines"}})
			}
			return nil
		},
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if forms, _ := summary.Forms(); f.As != "" && !slices.Contains(forms, f.As) {
				e.Errors.Add(fmt.Errorf("--format %q: a summary is printed as one of %s", f.As, strings.Join(forms, ", ")))
			}
			if link != "" {
				var err error
				if f.Link, err = measure.LinkRate(link); err != nil {
					e.Errors.Add(err)
				}
				if f.Lab {
					e.Errors.Add(cli.Advise(errors.New("--link: the link of quick --lab has 10 Gb/s"),
						"omit one of the two"))
				}
			}
			if f.As != "" && f.AsJSON {
				e.Errors.Add(cli.Advise(errors.New("--format prints a summary, and --json the whole record"),
					"give one of the two"))
			}
			if !e.Errors.About("time") && (f.Time < 100*time.Millisecond || f.Time > time.Minute) {
				e.Errors.Add(fmt.Errorf("--time %s: at least 100ms and at most 1m", f.Time))
			}
			if f.Scale != 0 && !f.Lab {
				e.Errors.Add(cli.Advise(errors.New("--scale: the scale is chosen when a lab is built"),
					"add --lab"))
			} else {
				e.Errors.Add(job.CheckScale(f.Scale))
			}
			if !e.Errors.About("repeats") && (f.Repeats < 1 || f.Repeats > 1000) {
				e.Errors.Add(fmt.Errorf("--repeats %d: at least 1 and at most 1000", f.Repeats))
			}
			if err := e.Errors.Err(); err != nil {
				return err
			}
			if f.InLab != "" {
				if _, err := lab.Find(f.InLab); err != nil {
					return cli.Fail(cli.ExitInput, err)
				}
				args, f.From = []string{"lab " + f.InLab + "/" + args[0]}, "lab "+f.InLab+"/"+f.From
			}
			return quick.Run(c.Context(), e, args, f)
		},
	}
	c.Flags().BoolVar(&f.Lab, "lab", false, "between two namespaces of this machine, 10 Gb/s as planned (Linux)")
	c.Flags().StringVar(&f.InLab, "in-lab", "", "HOST and --from are hosts of the lab with this id, which is up")
	c.Flags().StringVar(&link, "link", "",
		"speed of the link where the systems do not say it, such as 10G; limits nothing")
	c.Flags().StringVar(&f.From, "from", "", "the other end, in place of this machine")
	c.Flags().StringArrayVar(&f.To, "to", nil, "storage: a folder of this machine (or of --from), or HOST:FOLDER; several")
	c.Flags().DurationVar(&f.Time, "time", quick.Interval,
		"the steady interval of each repeat; of RDMA and storage half of it")
	c.Flags().Float64Var(&f.Scale, "scale", 0,
		"in the lab: the share of every planned rate, such as 0.1 (default: as calibrated)")
	c.Flags().IntVar(&f.Repeats, "repeats", quick.Repeats, "repeats of every measurement; to compare two runs: at least 4")
	c.Flags().StringVarP(&f.Folder, "output", "o", "", "the run folder, new or empty")
	c.Flags().StringVar(&f.As, "format", "", "print a summary to post: text, markdown, bbcode, csv or json")
	c.Flags().StringVar(&f.AgentFile, "agent", "", "the program to send to the host, instead of this one")
	c.Flags().BoolVar(&f.AsJSON, "json", false, "print the whole record as one JSON object, and no report")
	return c
}
