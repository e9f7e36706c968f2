package job

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/lab/layout"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/run/experiment"
	"linerate/internal/run/storage"
	"linerate/internal/traffic/halo"
)

// GuestFlags are the flags about the guests of a new lab.
type GuestFlags struct {
	Which  string   // AllGuests, NeededGuests, NoGuests; empty: those with guest: true
	Share  []string // as typed
	folder *lab.Share
}

// Values of --guests.
const (
	AllGuests    = "all" // the flag without a value
	NeededGuests = "needed"
	NoGuests     = "none"
)

// Add adds the flags; in is where they apply, for commands that also work without a lab.
func (f *GuestFlags) Add(flags *pflag.FlagSet, in string) {
	flags.StringVar(&f.Which, "guests", "",
		in+"make every host a whole machine (QEMU), not only those with guest: true; --guests=needed: also those whose "+
			"experiments need one; none: no host")
	flags.Lookup("guests").NoOptDefVal = AllGuests
	flags.StringArrayVar(&f.Share, "share", nil,
		in+"let guests read this folder of this machine at "+lab.ShareAt+"; FOLDER:rw: also write into it")
}

// Check parses the flags' values.
func (f *GuestFlags) Check() error {
	switch f.Which {
	case "", AllGuests, NeededGuests, NoGuests:
	case "true": // an earlier form of the flag
		f.Which = AllGuests
	case "false":
		f.Which = ""
	default:
		return errors.Join(
			fmt.Errorf("--guests=%s: write %s (or --guests alone), %s or %s", f.Which, AllGuests, NeededGuests, NoGuests),
			f.checkShare())
	}
	return f.checkShare()
}

func (f *GuestFlags) checkShare() (err error) {
	switch len(f.Share) {
	case 0:
		return nil
	case 1:
	default:
		return cli.Advise(
			fmt.Errorf("--share: a lab shares one folder, and %d are named (%s)",
				len(f.Share), strings.Join(f.Share, ", ")),
			"name the folder that they are in")
	}
	if f.folder, err = lab.ParseShare(f.Share[0]); err != nil {
		return fmt.Errorf("--share %w", err)
	}
	return nil
}

// Options are the options of a lab of a plan. needs are the needs of the experiments to measure.
func (f *GuestFlags) Options(p *plan.Plan, needs []layout.Need) lab.Options {
	o := lab.Options{AllGuests: f.Which == AllGuests, NoGuests: f.Which == NoGuests, Needs: needs, Share: f.folder}
	if f.Which == NeededGuests {
		o.Needs = layout.Needs(p)
	}
	return o
}

// seen refuses a share that no host of any of the labs would use.
func (f *GuestFlags) seen(arms ...Arm) error {
	if f.folder == nil {
		return nil
	}
	for _, a := range arms {
		if len(lab.Guests(a.plan, f.Options(a.plan, MeasuredNeeds(a.plan, a.combinations)))) > 0 {
			return nil
		}
	}
	return cli.Fail(cli.ExitInput, cli.Advise(
		errors.New("--share: no host is a guest, and a namespace sees all of this machine's files "+
			"where they are"),
		"add --guests, or guest: true to a host"))
}

// Words are the flags as typed, with a blank before each.
func (f *GuestFlags) Words() (s string) {
	switch f.Which {
	case "":
	case AllGuests:
		s += " --guests"
	default:
		s += " --guests=" + f.Which
	}
	for _, w := range f.Share {
		s += " --share " + format.Command([]string{w})
	}
	return s
}

// MeasuredNeeds are the needs of those experiments that are measured: others make no host a guest.
func MeasuredNeeds(p *plan.Plan, combinations []*experiment.Combination) []layout.Need {
	measured := map[string]bool{}
	for _, c := range combinations {
		if c.Record.Variant == p.Variant && c.Record.NotRun == "" && !c.Substituted() {
			measured[c.Record.Name] = true
		}
	}
	return slices.DeleteFunc(layout.Needs(p), func(n layout.Need) bool { return !measured[n.Experiment] })
}

// unmet are the needs of hosts that are namespaces.
func unmet(needs []layout.Need, guests []string) []layout.Need {
	return slices.DeleteFunc(slices.Clone(needs), func(n layout.Need) bool { return slices.Contains(guests, n.Host) })
}

// needyHosts joins the hosts of needs.
func needyHosts(needs []layout.Need) string {
	var names []string
	for _, n := range needs {
		names = xslices.AppendNew(names, n.Host)
	}
	const maxNames = 6
	switch n := len(names); {
	case n == 1:
		return names[0] + " a guest"
	case n > maxNames:
		return fmt.Sprintf("%s and %d more hosts guests", strings.Join(names[:maxNames], ", "), n-maxNames)
	default:
		return unit.List(names) + " guests"
	}
}

// Hint explains what experiments need that the namespaces of a lab do not have, and the flag that helps; missing: this
// machine can start no guest, which is reported already.
func (f *GuestFlags) Hint(p *plan.Plan, i lab.Info, missing bool) string {
	needs := unmet(layout.Needs(p), i.GuestNames())
	if len(needs) == 0 || f.Which == NoGuests {
		return ""
	}
	text := layout.Because(needs) + ", which namespaces do not have"
	if f.Which == "" && !missing {
		text += "; --guests=" + NeededGuests + " makes " + needyHosts(needs)
	}
	if slices.ContainsFunc(needs, layout.Need.Storage) {
		text += "; between namespaces programs in user space, or linerate's own NVMe/TCP, replace storage"
	}
	return text
}

// isGuest returns a function that reports whether a host of a lab is a guest.
func isGuest(i lab.Info) func(host string) bool {
	guests := i.GuestNames()
	return func(host string) bool { return slices.Contains(guests, host) }
}

// WithoutGuests marks experiments as not run that need a guest where the lab has a namespace.
func WithoutGuests(p *plan.Plan, combinations []*experiment.Combination, i lab.Info) {
	needs := map[string][]layout.Need{}
	for _, n := range unmet(MeasuredNeeds(p, combinations), i.GuestNames()) {
		needs[n.Experiment] = append(needs[n.Experiment], n)
	}
	for _, c := range combinations {
		if own := needs[c.Record.Name]; len(own) > 0 && c.Record.Variant == p.Variant && c.Record.NotRun == "" {
			c.Record.NotRun = fmt.Sprintf("it needs %s, and in this lab %s: a lab in which it runs makes %s, with --guests=%s",
				own[0].What, namespacesIn(own), needyHosts(own), NeededGuests)
		}
	}
}

// withoutPrograms marks experiments of method command, and exchanges over MPI, as not run where hosts are guests for
// the sake of others: a guest has none of this machine's programs, and an emulated CPU says nothing about an
// application. --experiments measures them in namespaces.
func withoutPrograms(p *plan.Plan, combinations []*experiment.Combination, i lab.Info) {
	for _, c := range combinations {
		mpi := method.Named(c.Record.Method).Exchanges && c.Record.Settings["transport"] == halo.MPI
		if !method.Named(c.Record.Method).RunsCommand && !mpi || c.Record.Variant != p.Variant || c.Record.NotRun != "" {
			continue
		}
		for _, h := range c.Hosts() {
			if slices.Contains(i.GuestNames(), h) {
				c.Record.NotRun = fmt.Sprintf(
					"%s is a guest in this lab, which has no programs of this machine; --experiments %s measures it in namespaces", h,
					c.Record.Name)
				break
			}
		}
	}
}

func namespacesIn(needs []layout.Need) string {
	names := xslices.Map(needs, func(n layout.Need) string { return n.Host })
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 {
		return names[0] + " is a namespace"
	}
	return strings.Join(names, ", ") + " are namespaces"
}

// guestTrouble reports hosts that should be guests and are not.
func guestTrouble(e *cli.Env, l *lab.Lab, share *lab.Share) {
	if l.Missing != nil {
		fmt.Fprintf(e.Err, "warning: namespaces replace the guests: %v\n", l.Missing)
		if share != nil {
			fmt.Fprintf(e.Err, "  so there is no %s: namespaces see %s where it is\n", lab.ShareAt, cli.Clean(share.Folder))
		}
	}
	for _, g := range l.Info.Guests {
		if g.Failed == "" {
			continue
		}
		fmt.Fprintf(e.Err, "warning: guest %s is not there, the other hosts are up:\n", g.Host)
		for line := range strings.Lines(g.Failed) {
			fmt.Fprintf(e.Err, "  %s\n", cli.Clean(strings.TrimRight(line, "\n")))
		}
	}
}

// sameGuests refuses to mix figures of guests and of namespaces in one run: old is the lab of the part that is resumed.
func sameGuests(old *record.Lab, now lab.Info) error {
	if old == nil || slices.Equal(old.Guests, now.GuestNames()) {
		return nil
	}
	names := func(l []string) string {
		if len(l) == 0 {
			return "none"
		}
		return strings.Join(l, ", ")
	}
	return cli.Fail(cli.ExitInput, cli.Advise(
		fmt.Errorf("the run was begun with other guests (%s) than this lab has (%s)",
			names(old.Guests), names(now.GuestNames())),
		"resume it with the same, or start a run of its own"))
}

// inLabs adds the notes of run --lab to measurements between hosts of running labs (connection lab ID/HOST): which
// experiments ran on emulated machines, and the scale of the links. Opening the connection reports a lab that is gone.
func (j *Job) inLabs() {
	if j.Run.Lab != nil {
		return
	}
	labs := map[string]lab.Info{}
	for _, c := range j.Combinations {
		for _, host := range c.Hosts() {
			spec, err := j.connection(host)
			if err != nil || spec.Kind != connect.Lab {
				continue
			}
			info, known := labs[spec.Lab]
			if !known {
				if info, err = lab.Find(spec.Lab); err != nil {
					continue
				}
				labs[spec.Lab] = info
				j.Run.Notes = noteLab(j.Run.Notes, info)
			}
			c.Record.Emulated = c.Record.Emulated || slices.Contains(info.GuestNames(), spec.Name)
		}
	}
}

// noteLab adds a note about a lab's scaled rates, once.
func noteLab(notes []record.Note, info lab.Info) []record.Note {
	n := record.Note{About: "lab " + info.ID,
		Text: "the rates of its links are " + unit.Scale(info.Scale) + " of the planned ones"}
	if info.Scale <= 0 || info.Scale >= 1 || slices.Contains(notes, n) {
		return notes
	}
	return append(notes, n)
}

// makeVolumes makes a lab create the volumes of combinations. Those of a volume that it cannot create are not run, with
// the reason.
func makeVolumes(p *plan.Plan, combinations []*experiment.Combination, id string) {
	type made struct {
		path string
		err  error
	}
	all, rooms := map[string]made{}, map[string]int64{}
	for _, c := range combinations {
		name, room := storage.LabVolume(c)
		rooms[name] = max(rooms[name], int64(room))
	}
	for _, c := range combinations {
		name, _ := storage.LabVolume(c)
		if name == "" || c.Record.NotRun != "" || c.Record.Variant != p.Variant {
			continue
		}
		m, ok := all[name]
		if !ok {
			v, err := lab.VolumeOf(p, name)
			if v.Room = rooms[name]; err == nil {
				m.path, err = lab.MakeVolume(id, v)
			}
			m.err = err
			all[name] = m
		}
		if m.err != nil {
			c.Record.NotRun = m.err.Error()
			continue
		}
		storage.VolumeAt(c, m.path)
	}
}
