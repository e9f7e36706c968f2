package render

import (
	"fmt"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// words quotes each word of a text, with a space before it.
func (c *context) words(text string) string {
	var b strings.Builder
	for _, w := range strings.Fields(text) {
		b.WriteString(" " + c.q(w))
	}
	return b.String()
}

// plainWord refuses texts that are not one word of letters and digits, because it is written within double quotes.
func (c *context) plainWord(s string) string {
	if !device.BareWord(s) {
		c.fail(&config.Refused{Text: s, Language: "a shell script", Why: "it has to be one plain word"})
		return "x"
	}
	return s
}

func applyVLAN(c *context, f *config.File, s plan.Setting) {
	name := c.q(c.interfaceName(s.Key))
	f.Add("ip-link(8)", s.Why, fmt.Sprintf("there %s || { keep made %s - -; try ip link add link %s name %s type vlan "+
		"id %d; }", name, name, c.ref(s.Interface), name, s.Int))
}

func verifyVLAN(c *context, f *config.File, s plan.Setting) {
	name := c.interfaceName(s.Key)
	f.Add("ip-link(8)", s.Why, fmt.Sprintf(`is "VLAN of %s" %d "$(vlan_of %s)"`, name, s.Int, c.q(name)))
}

// bondModes are the kernel's names of the fabric's modes. A Windows team (set) requires nothing of the switch; the
// kernel's nearest mode is balance-xor.
var bondModes = map[string]string{"lacp": "802.3ad", "backup": "active-backup", "set": "balance-xor"}

func (c *context) bondMode(mode string) string {
	if m, ok := bondModes[mode]; ok {
		return m
	}
	return c.plainWord(mode)
}

// miimon is the interval in ms at which a bond checks its members' links. Without one it never notices a missing cable
// (kernel documentation, bonding: a value of 0 disables it, 100 is a good starting point).
const miimon = 100

func applyBond(c *context, f *config.File, s plan.Setting) {
	bond, mode := c.q(c.interfaceName(s.Interface)), c.bondMode(s.Key)
	hash := ""
	if s.Value != "" {
		hash = " xmit_hash_policy " + c.bondHash(s.Value)
	}
	f.Add("kernel bonding", s.Why, fmt.Sprintf("there %s || { keep made %s - -; try ip link add name %s type bond mode "+
		"%s miimon %d%s; }", bond, bond, bond, mode, miimon, hash))
	if s.Value != "" {
		f.Form(fmt.Sprintf(`if [ "$(hash_of %s)" != %s ]; then`, bond, c.bondHash(s.Value)))
		f.Form(fmt.Sprintf(`	keep hash %s - "$(hash_of %s)"`, bond, bond))
		f.Add("kernel bonding", hashWhy, fmt.Sprintf("	try ip link set dev %s type bond%s", bond, hash))
		f.Form("fi")
	}
	if s.Key == "set" {
		c.untried("bond %s: mode set is Windows' own; here it is balance-xor, which may need a static group of ports at "+
			"the switch", s.Interface)
	}
	for _, m := range s.Of {
		i := c.ref(m)
		f.Form(fmt.Sprintf(`if [ "$(master_of %s)" != %s ]; then`, i, bond))
		f.Form(fmt.Sprintf(
			`	keep mtu %[1]s - "$(mtu_of %[1]s)"; keep link %[1]s - "$(up_of %[1]s)"; keep master %[1]s - "$(master_of %[1]s)"`,
			i))
		f.Add("kernel bonding", s.Why+": a bond takes only members that are down",
			fmt.Sprintf("	try ip link set dev %s down", i))
		f.Add("kernel bonding", s.Why, fmt.Sprintf("	try ip link set dev %s master %s", i, bond))
		f.Form("fi")
		f.Add("ip-link(8)", s.Why, fmt.Sprintf("try ip link set dev %s up", i))
	}
	if p := c.preferred(s); p != "" {
		f.Form(fmt.Sprintf(`if [ "$(primary_of %s)" != %s ]; then`, bond, p))
		f.Form(fmt.Sprintf(`	keep primary %s - "$(primary_of %s)"`, bond, bond))
		f.Add("kernel bonding", preferWhy, fmt.Sprintf("	try ip link set dev %s type bond primary %s", bond, p))
		f.Form("fi")
	}
	f.Add("ip-link(8)", s.Why, fmt.Sprintf("try ip link set dev %s up", bond))
}

// bondHash returns the hash policy of a bond: one word of letters, digits and +.
func (c *context) bondHash(s string) string {
	for word := range strings.SplitSeq(s, "+") {
		c.plainWord(word)
	}
	return s
}

const hashWhy = "by MAC addresses alone, the kernel's own choice, all that two hosts say to each other goes over " +
	"one member"

const preferWhy = "both ends have to use the same cable: without a switch between them what comes in over another " +
	"is dropped"

// preferred returns the member that a backup uses while it works; empty for other bonds.
func (c *context) preferred(s plan.Setting) string {
	if s.Key != "backup" || len(s.Of) == 0 {
		return ""
	}
	return c.ref(s.Of[0])
}

func verifyBond(c *context, f *config.File, s plan.Setting) {
	bond := c.interfaceName(s.Interface)
	f.Add("kernel bonding", s.Why, fmt.Sprintf(`is "mode of bond %s" %s "$(bond_mode_of %s)"`, bond, c.bondMode(s.Key),
		c.q(bond)))
	if s.Value != "" {
		f.Add("kernel bonding", hashWhy, fmt.Sprintf(`is "hash of bond %s" %s "$(hash_of %s)"`, bond, c.bondHash(s.Value),
			c.q(bond)))
	}
	for _, m := range s.Of {
		f.Add("kernel bonding", s.Why, fmt.Sprintf(`m=$(master_of %s); is "bond of %s" %s "${m:-none}"`, c.ref(m),
			c.text(m), c.q(bond)))
	}
	if p := c.preferred(s); p != "" {
		f.Add("kernel bonding", preferWhy,
			fmt.Sprintf(`p=$(primary_of %s); is "preferred member of bond %s" %s "${p:-none}"`, c.q(bond), bond, p))
	}
}

// applyVFs does not change existing functions: a virtual machine may use them.
func applyVFs(c *context, f *config.File, s plan.Setting) {
	i, name := c.ref(s.Interface), c.text(s.Interface)
	f.Form(fmt.Sprintf(`old=$(vfs_of %s)`, i), `case $old in`, fmt.Sprintf(`%d) ;;`, s.Int), fmt.Sprintf(
		`"") rest=3; say "not set: virtual functions of %s: its driver has none here (no sriov_numvfs)" ;;`, name))
	f.Add("kernel pci-iov", s.Why, fmt.Sprintf(`0) keep vfs %s - 0; may "%d virtual functions of %s" set_vfs %s %d ;;`,
		i, s.Int, name, i, s.Int))
	f.Form(fmt.Sprintf(
		`*) rest=3; say "not set: virtual functions of %s: there are $old already, and changing that ends all of them" ;;`,
		name), `esac`)
}

func verifyVFs(c *context, f *config.File, s plan.Setting) {
	f.Add("kernel pci-iov", s.Why, fmt.Sprintf(`is "virtual functions of %s" %d "$(vfs_of %s)"`, c.text(s.Interface),
		s.Int, c.ref(s.Interface)))
}
