package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
)

// hostsLines returns the lines that the plan adds to the host's hosts file; none if the fabric file does not request
// them.
func (c *context) hostsLines() []string {
	if c.plan.Fabric.Addressing.Names != "hosts-file" || len(c.host.Names) == 0 {
		return nil
	}
	out := []string{c.hostsMark("begin")}
	for _, n := range c.host.Names {
		for _, name := range n.Names {
			c.plainWord(name)
		}
		out = append(out, fmt.Sprintf("%s %s", n.Address, strings.Join(n.Names, " ")))
	}
	return append(out, c.hostsMark("end"))
}

func (c *context) hostsMark(which string) string {
	return fmt.Sprintf("# linerate %s %s", which, c.plainWord(c.plan.Name))
}

// butNames describes what survives a reboot after apply.sh.
func (c *context) butNames() string {
	if c.hostsLines() == nil {
		return ""
	}
	return ", but for the plan's names in /etc/hosts, which stay until undo.sh takes them out"
}

func (c *context) applyHosts(f *config.File) {
	block := c.hostsLines()
	if block == nil {
		return
	}
	f.Form("", "# The names of the plan's addresses, between two marks in the hosts file. They outlive a reboot, until "+
		"sh undo.sh takes them out.")
	f.Form(`hosts=${LINERATE_HOSTS:-/etc/hosts}`, "names() { cat <<'end of names'")
	for i, l := range block {
		if i == 0 || i == len(block)-1 {
			f.Form(l)
			continue
		}
		f.Add("hosts(5)", "addressing: {names: hosts-file}", l)
	}
	f.Form("end of names", "}")
	f.Lines = append(f.Lines, hostsText...)
}

func (c *context) verifyHosts(f *config.File) {
	block := c.hostsLines()
	if block == nil {
		return
	}
	f.Form(`hosts=${LINERATE_HOSTS:-/etc/hosts}`)
	if len(block) > manyNames {
		f.Add("hosts(5)", "addressing: {names: hosts-file}", fmt.Sprintf(
			`if [ -r "$hosts" ]; then r=$(only_block "$hosts" | cksum | cut -d' ' -f1); else r=; fi; is "checksum of the %d lines of names in $hosts" %d "$r"`,
			len(block)-2, cksum(strings.Join(block, "\n")+"\n")))
		return
	}
	for _, l := range block[1 : len(block)-1] {
		f.Add("hosts(5)", "addressing: {names: hosts-file}", fmt.Sprintf(
			`if [ -r "$hosts" ]; then r=absent; ! grep -qxF %s "$hosts" || r=present; else r=; fi; is %s present "$r"`,
			c.q(l), c.q("name "+l)))
	}
}

// manyNames is the number of lines above which one checksum verifies the names.
const manyNames = 64

// cksum returns the first number that cksum prints (POSIX.1-2017: CRC of ISO/IEC 8802-3, the length after the octets).
func cksum(text string) uint32 {
	crc := uint32(0)
	octet := func(b byte) {
		crc ^= uint32(b) << 24
		for range 8 {
			if crc&0x80000000 != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
	}
	for i := range len(text) {
		octet(text[i])
	}
	for n := len(text); n > 0; n >>= 8 {
		octet(byte(n))
	}
	return ^crc
}

var hostsText = formLines(`
if [ "$(names)" != "$(only_block "$hosts" 2>/dev/null)" ]; then
	if without_block "$hosts" >/dev/null; then
		if ! kept hosts "$hosts" -; then
			keep hosts "$hosts" - changed
			try cp "$hosts" "$state/hosts"
		fi
		without_block "$hosts" >"$state/new" && names >>"$state/new" || end 1 "failed: the hosts file; stopped here. sh undo.sh undoes what was done"
		try cp "$state/new" "$hosts"
	else
		rest=3
		say "not set: names: $hosts has one of the marks of linerate without the other; take that line out"
	fi
fi
`)
