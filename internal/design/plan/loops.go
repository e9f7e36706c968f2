package plan

// loops marks the links between switches that close a loop, within one VLAN, and
// joins the switches by the others.
func (b *builder) loops() {
	type at struct {
		vlan int
		name string
	}
	root := map[at]at{}
	find := func(k at) at {
		for root[k] != (at{}) && root[k] != k {
			k = root[k]
		}
		return k
	}
	vlans := map[string]int{}
	for _, s := range b.f.Subnets {
		vlans[s.Name] = s.VLAN
	}
	for i, l := range b.p.Links {
		if l.Ends[0].Switch == "" || l.Ends[1].Switch == "" {
			continue
		}
		vlan := vlans[b.f.Links[i].Subnet]
		x, y := find(at{vlan, l.Ends[0].Switch}), find(at{vlan, l.Ends[1].Switch})
		if l.Loop = x == y; !l.Loop {
			root[x] = y
			b.p.index.join(l)
		}
	}
}
