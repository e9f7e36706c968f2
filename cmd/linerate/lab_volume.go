package main

import (
	"linerate/internal/design/plan"
	"linerate/internal/lab"
	"linerate/internal/run"
)

// makeVolumes has a lab make the volumes that cells are about. Those of one that it cannot make are not run, and say why.
func makeVolumes(p *plan.Plan, cells []*run.Cell, id string) {
	type made struct {
		path string
		err  error
	}
	all, rooms := map[string]made{}, map[string]int64{}
	for _, c := range cells {
		name, room := c.LabVolume()
		rooms[name] = max(rooms[name], int64(room))
	}
	for _, c := range cells {
		name, _ := c.LabVolume()
		if name == "" || c.Exp.NotRun != "" || c.Exp.Variant != p.Variant {
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
			c.Exp.NotRun = m.err.Error()
			continue
		}
		c.VolumeAt(m.path)
	}
}
