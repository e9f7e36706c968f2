package render

import (
	"maps"
	"math"
	"slices"
	"testing"

	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
)

// meanings are the families whose files facts can parse, each with the files that configure a device, and the lowest
// number of ports to compare, of all fabrics.
var meanings = map[string]struct {
	files []string
	least int
}{
	"onyx":     {[]string{"apply.txt"}, 40},
	"cumulus":  {[]string{"apply.sh"}, 20},
	"sonic":    {[]string{"apply.sh", "qos.json"}, 15},
	"eos":      {[]string{"apply.txt"}, 10},
	"routeros": {[]string{"apply.rsc"}, 10},
}

// TestMeaning renders the fabrics for every family, parses the files, and compares the settings of each port with the
// plan: trust, maps, paused and strict classes, shares, marking, and the MTU.
func TestMeaning(t *testing.T) {
	compared := map[string]int{}
	for path, p := range manyPlans(t) {
		q := p.QoS()
		if q == nil {
			continue
		}
		set := Render(p)
		for _, sw := range p.Switches {
			system := sw.System()
			if system == "mlnx-os" {
				system = "onyx"
			}
			d := set.Device(sw.Name)
			family, ok := meanings[system]
			if d == nil || !ok || p.SwitchGaps(sw).Has(device.GapClasses, "") {
				continue
			}
			got := readBack(t, path+": "+sw.Name, d, family.files)
			ports, _ := p.Ethernet(sw)
			for _, x := range ports {
				n := got.NIC(sw.PortName(x))
				c := got.Switch.Asked // a RoCE mode applies to all ports, and names none
				if n != nil && n.Asked != nil {
					c = n.Asked
				}
				if c == nil {
					t.Errorf("%s: %s: nothing is read of %s", path, sw.Name, sw.PortName(x))
					continue
				}
				compared[system]++
				m := meaning{t: t, where: path + ": " + sw.Name + ": " + sw.PortName(x), system: system, q: q, c: c,
					gaps: p.SwitchGaps(sw)}
				m.compare()
				if n != nil && n.MTU != 0 && n.MTU < x.MTU && n.L2MTU.Or(0) < x.MTU {
					t.Errorf("%s: MTU %d, the link's is %d", m.where, n.MTU, x.MTU)
				}
			}
		}
	}
	t.Log(compared)
	for system, family := range meanings {
		if compared[system] < family.least {
			t.Errorf("%s: %d ports were compared, want at least %d", system, compared[system], family.least)
		}
	}
}

// readBack parses a device's files like a folder of snapshots.
func readBack(t *testing.T, where string, d *config.Device, files []string) *facts.Facts {
	t.Helper()
	kept := map[string][]byte{}
	for _, name := range files {
		if f := d.File(name); f != nil {
			kept[name] = []byte(f.Text())
		}
	}
	snapshot, notRead := read.FromKept("device", kept, slices.Sorted(maps.Keys(kept)))
	got, err := read.Parse(snapshot)
	if err != nil || len(notRead) > 0 {
		t.Fatalf("%s: %v %v", where, err, notRead)
	}
	for _, u := range got.Unknown {
		t.Errorf("%s: %s: %s", where, u.Subject, u.Reason)
	}
	return got
}

// meaning has the settings of one port, to be compared with the plan.
type meaning struct {
	t      *testing.T
	where  string
	system string
	q      *device.QoS
	c      *facts.Classes
	gaps   device.Gaps
}

func (m meaning) errorf(format string, args ...any) {
	m.t.Helper()
	m.t.Errorf(m.where+": "+format, args...)
}

// class returns the traffic class that a class of the plan has on this device.
func (m meaning) class(x device.Class) int {
	// traffic without a map has the profile default, which the files do not change: class 1
	if x.Default && m.system == "routeros" {
		for _, p := range m.c.Profiles {
			if p.Name == "default" {
				return p.Class
			}
		}
		return 1
	}
	switch {
	case !x.Default || m.c.Priorities != nil && m.q.PCP():
	case m.q.Trust == "dscp" && m.c.DSCP != nil:
		taken := []int{}
		for _, k := range m.q.Classes {
			taken = append(taken, k.DSCP...)
		}
		for point := range 56 { // most switches reserve some
			if class, ok := m.c.DSCP[point]; ok && !slices.Contains(taken, point) {
				return class
			}
		}
	case m.c.PCP != nil:
		if class, ok := m.c.PCP[x.Priority]; ok {
			return class
		}
	}
	return x.Priority
}

func (m meaning) compare() {
	m.t.Helper()
	switch trust := m.c.Trust.Or("not known"); {
	case trust == m.q.Trust || trust == "both" && m.q.Trust != "port" || trust == "none" && m.q.Trust == "port":
	default:
		m.errorf("trust %s, the plan's is %s", trust, m.q.Trust)
	}
	pfc, why := m.c.PFC()
	if want := m.q.Lossless(); why != "" || !slices.Equal(pfc, want) && len(pfc)+len(want) > 0 {
		m.errorf("PFC %v %s, the plan's is %v", pfc, why, want)
	}
	sum, planned := 0.0, 0
	for _, x := range m.q.Classes {
		if !x.Strict {
			sum += m.c.Queues[m.class(x)].Weight.Or(0)
			planned += x.Percent
		}
	}
	for _, x := range m.q.Classes {
		class := m.class(x)
		for _, point := range x.DSCP {
			byHand := slices.ContainsFunc(m.gaps, func(l device.Gap) bool { return l.Kind == "" && l.Of == x.Name }) &&
				slices.Contains(x.OffBlock(), point)
			if got, ok := m.c.DSCP[point]; m.q.Trust == "dscp" && !byHand && (!ok || got != class) {
				m.errorf("class %s: DSCP %d goes to %d (known: %v), want %d", x.Name, point, got, ok, class)
			}
		}
		queue := m.c.Queues[class]
		if !m.gaps.Has(device.GapShares, "") {
			if strict, ok := queue.Strict.Get(); !ok || strict != x.Strict && m.system != "routeros" || strict && !x.Strict {
				m.errorf("class %s in %d: strict %v (known: %v), want %v", x.Name, class, strict, ok, x.Strict)
			}
			if share := queue.Weight.Or(0) / sum; !x.Strict && math.Abs(share-float64(x.Percent)/float64(planned)) > 0.051 {
				m.errorf("class %s in %d: weight %v of %v, want %d of %d %%", x.Name, class, queue.Weight.Or(0), sum, x.Percent,
					planned)
			}
		}
		if marks, ok := queue.ECN.Get(); !m.gaps.Has(device.GapECN, x.Name) &&
			(x.ECN && !(ok && marks) || !x.ECN && ok && marks && !x.Default) {
			m.errorf("class %s in %d: marked %v (known: %v), want %v", x.Name, class, marks, ok, x.ECN)
		}
		if x.CNP && slices.Contains(pfc, x.Priority) {
			m.errorf("class %s: notifications are paused", x.Name)
		}
	}
}
