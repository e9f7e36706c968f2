package main

import (
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/record"
)

// inLabs says of what is measured between hosts of labs that are up already, got at one by one (reach lab ID/HOST), what run --lab says of its own: which
// experiments are of emulated machines, and at which share of the planned rates the links are. A lab that is gone is told of by whoever reaches for it.
func (j *job) inLabs() {
	if j.run.Lab != nil {
		return
	}
	labs := map[string]lab.Info{}
	for _, c := range j.cells {
		for _, host := range c.Hosts() {
			spec, err := j.reach(host)
			if err != nil || spec.Kind != connect.Lab {
				continue
			}
			info, known := labs[spec.Lab]
			if !known {
				if info, err = lab.Find(spec.Lab); err != nil {
					continue
				}
				labs[spec.Lab] = info
				j.run.Notes = noteLab(j.run.Notes, info)
			}
			c.Exp.Emulated = c.Exp.Emulated || slices.Contains(info.GuestNames(), spec.Name)
		}
	}
}

// noteLab adds what has to be said of a lab's rates, once.
func noteLab(notes []record.Note, info lab.Info) []record.Note {
	n := record.Note{About: "lab " + info.ID, Text: "the rates of its links are " + unit.Scale(info.Scale) + " of the planned ones"}
	if info.Scale <= 0 || info.Scale >= 1 || slices.Contains(notes, n) {
		return notes
	}
	return append(notes, n)
}
