// Command report measures how long linerate takes to report a very large run and to compare two of them, and how much
// memory it needs.
//
//	go build -trimpath -o /tmp/linerate ./cmd/linerate
//	/tmp/linerate run examples/mesh-10g.yaml --lab -o /tmp/recorded
//	go build -C tools/bench -o /tmp/bench-report ./report
//	/tmp/bench-report -from /tmp/recorded -program /tmp/linerate -o tools/bench/report/latest.md
//
// The runs repeat the experiments of a measured run, with each figure changed by up to 2 %. It needs 2 GB of disk and
// Chromium (-chromium "" measures without).
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"linerate/internal/record/runfolder"
)

func main() {
	var c options
	flag.StringVar(&c.from, "from", "",
		"run folder or page that was measured; its experiments are what the large runs are made of")
	flag.StringVar(&c.program, "program", "", "the linerate that is measured")
	flag.StringVar(&c.chromium, "chromium", "chromium", "the browser")
	flag.StringVar(&c.out, "o", "", "write the table into this file, too")
	flag.StringVar(&c.dir, "dir", "", "folder for the runs, some GB; default: a temporary one, removed at the end")
	flag.IntVar(&c.experiments, "experiments", 10_000, "of each run")
	flag.IntVar(&c.rounds, "rounds", 5, "of which the median counts")
	flag.BoolVar(&c.prepareOnly, "prepare", false, "write the runs into -dir, if they are not there, and end")
	flag.Parse()
	if err := c.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// prepare writes the two runs, unless they exist.
func (c *options) prepare() error {
	for seed, name := range []string{"a", "b"} {
		dir := filepath.Join(c.dir, name)
		if _, err := os.Stat(filepath.Join(dir, runfolder.ManifestName)); err == nil {
			continue
		}
		if !c.prepareOnly { // in another process: the peak memory of a new process begins with that of its parent
			own, err := os.Executable()
			if err != nil {
				return err
			}
			return (&row{}).time(own, "-prepare", "-dir", c.dir, "-from", c.from, "-program", c.program, "-experiments",
				strconv.Itoa(c.experiments))
		}
		o, err := runfolder.Open(c.from, "")
		if err != nil {
			return err
		}
		f, err := runfolder.Create(dir)
		if err != nil {
			return err
		}
		if err := f.WriteManifest(enlarge(o.Run, c.experiments, uint64(seed), 0.02)); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
