package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
)

// frames sets the L2MTU for the hosts' frames, after a check that all ports exist.
func (r *render) frames() {
	for _, p := range r.ports {
		name := must(p.name)
		r.apply.Add(manualScript, "port "+p.id+" has to be there before anything is changed",
			fmt.Sprintf(`:if ([:len [/interface ethernet find where name=%s]] != 1) do={ :error %s }`, name,
				must("nothing was changed: there is no port "+p.name+"; look at /interface ethernet print")))
	}
	r.verify.Form(":global linerateBad 0")
	r.check(manualBridge, "the bridge of the factory configuration carries the ports", "/interface bridge port",
		"is in no bridge", func(p port) string { return "interface=" + must(p.name) })
	if r.l2mtu == 0 {
		return
	}
	why := fmt.Sprintf("the hosts' MTU is %d; larger frames than L2MTU are dropped without a word (rx-too-long)", r.mtu)
	r.apply.Add(manualScript, "what undo sets again; a second apply keeps it", fmt.Sprintf(
		`:if ([:len [/system script find where name="linerate-l2mtu"]] = 0) do={ /system script add name="linerate-l2mtu" source=("/interface ethernet set [find switch=switch1] l2mtu=" . [/interface ethernet get [find where name=%s] l2mtu]) }`,
		must(r.ports[0].name)))
	r.apply.Add(manualQoS, why, fmt.Sprintf("/interface ethernet set [find switch=switch1] l2mtu=%d", r.l2mtu))
	r.check(manualMTU, why, "/interface ethernet", fmt.Sprintf("has another L2MTU than %d", r.l2mtu), func(p port) string {
		return fmt.Sprintf("name=%s l2mtu=%d", must(p.name), r.l2mtu)
	})
	r.d.Notes = append(r.d.Notes, "undo.rsc sets the L2MTU of all ports of switch1 to the one that "+r.ports[0].name+
		" had before")
}

// check adds a line to verify for every port: an entry of the menu must have these values.
func (r *render) check(source config.Source, why, menu, wrong string, where func(port) string) {
	for _, p := range r.ports {
		r.expect(source, why, menu, where(p), p.name+" "+wrong)
	}
}

// expect adds a line to verify: exactly one entry of the menu matches.
func (r *render) expect(source config.Source, why, menu, where, wrong string) {
	r.verify.Add(source, why, fmt.Sprintf(
		`:if ([:len [%s find where %s]] != 1) do={ :put %s; :set linerateBad ($linerateBad + 1) }`, menu, where,
		must("not as planned: "+wrong)))
}

// vlans writes the VLANs of the ports. They also pass without it as long as the bridge does not filter.
func (r *render) vlans() {
	byVLAN := map[int][]string{}
	var order []int
	for _, p := range r.ports {
		if p.vlan == 0 {
			continue
		}
		if byVLAN[p.vlan] == nil {
			order = append(order, p.vlan)
		}
		byVLAN[p.vlan] = append(byVLAN[p.vlan], p.name)
	}
	for _, id := range order {
		why := fmt.Sprintf("VLAN %d is tagged on these ports", id)
		r.apply.Add(manualBridge, why, fmt.Sprintf(
			`:if ([:len [/interface bridge vlan find where vlan-ids=%d comment="linerate"]] = 0) do={ /interface bridge vlan add bridge=bridge tagged=%s vlan-ids=%d comment="linerate" }`,
			id, strings.Join(byVLAN[id], ","), id))
		r.expect(manualBridge, why, "/interface bridge vlan", fmt.Sprintf(`vlan-ids=%d comment="linerate"`, id),
			fmt.Sprintf("VLAN %d is not in the bridge's table", id))
	}
	if len(order) > 0 {
		r.tagged = true
		r.d.Miss("vlan-filtering stays as it is: a bridge that does not filter passes every tag, and turning it on can " +
			"lock you out. To keep the VLANs apart: in safe mode, with your own port in the table, /interface bridge set " +
			"[find name=bridge] vlan-filtering=yes")
	}
}
