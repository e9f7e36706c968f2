package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"linerate/lab"
	"linerate/plan"
	"linerate/report"
)

// guestFlags are the flags about the guests of a lab that is built.
type guestFlags struct {
	all    bool
	share  []string // as given
	folder *lab.Share
}

// add adds the flags; in is where they hold, for verbs that also work without a lab.
func (f *guestFlags) add(flags *pflag.FlagSet, in string) {
	flags.BoolVar(&f.all, "guests", false, in+"make every host a whole machine (QEMU), not only those with guest: true")
	flags.StringArrayVar(&f.share, "share", nil, in+"let guests read this folder of this machine at "+lab.ShareAt+"; FOLDER:rw: also write into it")
}

// check reads the share.
func (f *guestFlags) check() (err error) {
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

// set puts the flags into the options of a lab.
func (f *guestFlags) set(o *lab.Options) { o.AllGuests, o.Share = f.all, f.folder }

// seen refuses a share that no host of any of the labs would see.
func (f *guestFlags) seen(plans ...*plan.Plan) error {
	if f.folder == nil {
		return nil
	}
	o := lab.Options{}
	f.set(&o)
	for _, p := range plans {
		if len(lab.Guests(p, o)) > 0 {
			return nil
		}
	}
	return fail(exitInput, errors.New("--share: no host is a guest, and a namespace sees all of this machine's files where they are; add --guests, or guest: true to a host"))
}

// words are the flags as they are typed, with a blank before each.
func (f *guestFlags) words() (s string) {
	if f.all {
		s += " --guests"
	}
	for _, w := range f.share {
		s += " --share " + report.Command([]string{w})
	}
	return s
}
