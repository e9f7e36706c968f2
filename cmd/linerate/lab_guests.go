package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"linerate/internal/design/plan"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/run"
	"linerate/internal/traffic"
)

// guestFlags are the flags about the guests of a lab that is built.
type guestFlags struct {
	which  string   // allGuests, neededGuests, noGuests; empty: those with guest: true
	share  []string // as given
	folder *lab.Share
}

// The values of --guests.
const (
	allGuests    = "all" // the flag alone
	neededGuests = "needed"
	noGuests     = "none"
)

// add adds the flags; in is where they hold, for verbs that also work without a lab.
func (f *guestFlags) add(flags *pflag.FlagSet, in string) {
	flags.StringVar(&f.which, "guests", "", in+"make every host a whole machine (QEMU), not only those with guest: true; --guests=needed: also those whose experiments need one; none: no host")
	flags.Lookup("guests").NoOptDefVal = allGuests
	flags.StringArrayVar(&f.share, "share", nil, in+"let guests read this folder of this machine at "+lab.ShareAt+"; FOLDER:rw: also write into it")
}

// check reads the flags' values.
func (f *guestFlags) check() error {
	switch f.which {
	case "", allGuests, neededGuests, noGuests:
	case "true": // the flag had no other values once
		f.which = allGuests
	case "false":
		f.which = ""
	default:
		return errors.Join(fmt.Errorf("--guests=%s: write %s (or --guests alone), %s or %s", f.which, allGuests, neededGuests, noGuests), f.checkShare())
	}
	return f.checkShare()
}

func (f *guestFlags) checkShare() (err error) {
	switch len(f.share) {
	case 0:
		return nil
	case 1:
	default:
		return fmt.Errorf("--share: a lab shares one folder, and %d are named (%s); name the folder that they are in", len(f.share), strings.Join(f.share, ", "))
	}
	if f.folder, err = lab.ParseShare(f.share[0]); err != nil {
		return fmt.Errorf("--share %w", err)
	}
	return nil
}

// options are those of a lab of a plan. Needs are what the experiments need that are to be measured in it.
func (f *guestFlags) options(p *plan.Plan, needs []lab.Need) lab.Options {
	o := lab.Options{AllGuests: f.which == allGuests, NoGuests: f.which == noGuests, Needs: needs, Share: f.folder}
	if f.which == neededGuests {
		o.Needs = lab.Needs(p)
	}
	return o
}

// seen refuses a share that no host of any of the labs would see.
func (f *guestFlags) seen(arms ...arm) error {
	if f.folder == nil {
		return nil
	}
	for _, a := range arms {
		if len(lab.Guests(a.plan, f.options(a.plan, measuredNeeds(a.plan, a.cells)))) > 0 {
			return nil
		}
	}
	return fail(exitInput, errors.New("--share: no host is a guest, and a namespace sees all of this machine's files where they are; add --guests, or guest: true to a host"))
}

// words are the flags as they are typed, with a blank before each.
func (f *guestFlags) words() (s string) {
	switch f.which {
	case "":
	case allGuests:
		s += " --guests"
	default:
		s += " --guests=" + f.which
	}
	for _, w := range f.share {
		s += " --share " + report.Command([]string{w})
	}
	return s
}

// measuredNeeds are what those experiments need that are measured: for others no host is made a guest.
func measuredNeeds(p *plan.Plan, cells []*run.Cell) []lab.Need {
	measured := map[string]bool{}
	for _, c := range cells {
		if c.Exp.Variant == p.Variant && c.Exp.NotRun == "" && !c.StandsIn() {
			measured[c.Exp.Name] = true
		}
	}
	return slices.DeleteFunc(lab.Needs(p), func(n lab.Need) bool { return !measured[n.Experiment] })
}

// unmet are the needs of hosts that are namespaces.
func unmet(needs []lab.Need, guests []string) []lab.Need {
	return slices.DeleteFunc(slices.Clone(needs), func(n lab.Need) bool { return slices.Contains(guests, n.Host) })
}

// needyHosts are the hosts of needs, as a list in words.
func needyHosts(needs []lab.Need) string {
	var names []string
	for _, n := range needs {
		if !slices.Contains(names, n.Host) {
			names = append(names, n.Host)
		}
	}
	const most = 6
	switch n := len(names); {
	case n == 1:
		return names[0] + " a guest"
	case n > most:
		return fmt.Sprintf("%s and %d more hosts guests", strings.Join(names[:most], ", "), n-most)
	default:
		return inWords(names) + " guests"
	}
}

// hint says what experiments need that the namespaces of a lab lack, and the flag that helps; lacking: this machine can start no
// guest, which is told already.
func (f *guestFlags) hint(p *plan.Plan, i lab.Info, lacking bool) string {
	needs := unmet(lab.Needs(p), i.GuestNames())
	if len(needs) == 0 || f.which == noGuests {
		return ""
	}
	text := lab.Because(needs) + ", which namespaces lack"
	if f.which == "" && !lacking {
		text += "; --guests=" + neededGuests + " makes " + needyHosts(needs)
	}
	if slices.ContainsFunc(needs, lab.Need.Storage) {
		text += "; between namespaces programs in user space, or linerate's own NVMe/TCP, stand in for storage"
	}
	return text
}

// isGuest says of a host of a lab whether it is a guest.
func isGuest(i lab.Info) func(host string) bool {
	guests := i.GuestNames()
	return func(host string) bool { return slices.Contains(guests, host) }
}

// withoutGuests lists experiments as not run that were to be measured and that need a guest where the lab has a namespace.
func withoutGuests(p *plan.Plan, cells []*run.Cell, i lab.Info) {
	needs := map[string][]lab.Need{}
	for _, n := range unmet(measuredNeeds(p, cells), i.GuestNames()) {
		needs[n.Experiment] = append(needs[n.Experiment], n)
	}
	for _, c := range cells {
		if own := needs[c.Exp.Name]; len(own) > 0 && c.Exp.Variant == p.Variant && c.Exp.NotRun == "" {
			c.Exp.NotRun = fmt.Sprintf("it needs %s, and in this lab %s: a lab in which it runs makes %s, with --guests=%s", own[0].What, namespacesIn(own), needyHosts(own), neededGuests)
		}
	}
}

// withoutPrograms lists experiments of the method app, and exchanges over MPI, as not run whose hosts are guests for the sake of others: a guest has none of this machine's
// programs, and an emulated processor says nothing of an application. --only measures them in namespaces.
func withoutPrograms(p *plan.Plan, cells []*run.Cell, i lab.Info) {
	for _, c := range cells {
		mpi := c.Exp.Method == run.Halo && c.Exp.Settings["transport"] == traffic.MPI
		if c.Exp.Method != run.App && !mpi || c.Exp.Variant != p.Variant || c.Exp.NotRun != "" {
			continue
		}
		for _, h := range c.Hosts() {
			if slices.Contains(i.GuestNames(), h) {
				c.Exp.NotRun = fmt.Sprintf("%s is a guest in this lab, which has no programs of this machine; --only %s measures it in namespaces", h, c.Exp.Name)
				break
			}
		}
	}
}

func namespacesIn(needs []lab.Need) string {
	var names []string
	for _, n := range needs {
		names = append(names, n.Host)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 1 {
		return names[0] + " is a namespace"
	}
	return strings.Join(names, ", ") + " are namespaces"
}

// guestTrouble says which hosts are not the guests that they were to be.
func (e *env) guestTrouble(l *lab.Lab, share *lab.Share) {
	if l.Lacking != nil {
		fmt.Fprintf(e.err, "linerate: no guests, namespaces in their place: %v\n", l.Lacking)
		if share != nil {
			fmt.Fprintf(e.err, "  so there is no %s: namespaces see %s where it is\n", lab.ShareAt, clean(share.Folder))
		}
	}
	for _, g := range l.Info.Guests {
		if g.Failed == "" {
			continue
		}
		fmt.Fprintf(e.err, "linerate: guest %s is not there, the other hosts are up:\n", g.Host)
		for line := range strings.Lines(g.Failed) {
			fmt.Fprintf(e.err, "  %s\n", clean(strings.TrimRight(line, "\n")))
		}
	}
}

// sameGuests refuses to put figures of guests and of namespaces into one run: old is the lab of the part that is resumed.
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
	return fail(exitInput, fmt.Errorf("the run was begun with other guests (%s) than this lab has (%s); resume it with the same, or start a run of its own",
		names(old.Guests), names(now.GuestNames())))
}
