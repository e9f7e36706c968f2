package exam

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/lab/exam"
	"linerate/internal/record/runfolder"
)

// Take takes the exam that x describes. rate is the rate of links as typed, output the folder to keep, or empty.
func Take(ctx context.Context, e *cli.Env, x *Exam, rate, output string, asJSON bool) error {
	x.env = e
	var err error
	if x.rate, err = unit.ParseBitRate(rate); err != nil || x.rate <= 0 || x.rate > exam.MaxRate {
		return cli.Fail(cli.ExitInput,
			fmt.Errorf("--rate %s: it takes a rate of at most %v, such as 100M", cli.Clean(rate), exam.MaxRate))
	}
	if x.Every < 1 {
		return cli.Fail(cli.ExitInput, fmt.Errorf("--healthy-every %d: it takes 1 or more", x.Every))
	}
	if err := x.choose(); err != nil {
		return err
	}
	if x.self, err = os.Executable(); err != nil {
		return err
	}
	x.dir = output
	if output == "" {
		var remove func()
		if x.dir, remove, err = runfolder.Temporary(); err != nil {
			return err
		}
		defer remove()
	} else if err := newFolder(output); err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	began := time.Now()
	if err := x.run(ctx); err != nil {
		return err
	}
	body := examJSON{Seed: x.Seed, Began: began.UTC(), Seconds: time.Since(began).Seconds(), Cores: runtime.NumCPU(),
		FollowUp: x.FollowUp, LeftOut: x.leftOut, Outcomes: x.outcomes, Matrices: exam.Matrices(x.outcomes)}
	if output != "" {
		b, err := json.MarshalIndent(body, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(output, "exam.json"), append(b, '\n'), 0o644); err != nil {
			return err
		}
	}
	if asJSON {
		return e.PrintObject("exam", body)
	}
	for _, m := range exam.Matrices(x.outcomes) {
		fmt.Fprintln(e.Out)
		fmt.Fprint(e.Out, m.Text())
	}
	for _, l := range x.leftOut {
		fmt.Fprintf(e.Out, "left out: %s\n", l)
	}
	return nil
}
