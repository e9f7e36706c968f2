package linux

import (
	"fmt"
	"strings"

	"linerate/config/device"
)

// hostsLines are the lines that the plan gives the host's hosts file; none where the file did not ask for them.
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

func (c *context) applyHosts(f *device.File) {
	block := c.hostsLines()
	if block == nil {
		return
	}
	f.Form("", "# The names of the plan's addresses, between two marks in the hosts file. This outlives a reboot.")
	f.Form(`hosts=${LINERATE_HOSTS:-/etc/hosts}`, "names() { cat <<'end of names'")
	for i, l := range block {
		if i == 0 || i == len(block)-1 {
			f.Form(l)
			continue
		}
		f.Add("hosts(5)", "addressing: {names: hosts-file}", l)
	}
	f.Form("end of names", "}")
	f.Form(lines(hostsText)...)
}

func (c *context) verifyHosts(f *device.File) {
	block := c.hostsLines()
	if block == nil {
		return
	}
	f.Form(`hosts=${LINERATE_HOSTS:-/etc/hosts}`)
	for _, l := range block[1 : len(block)-1] {
		f.Add("hosts(5)", "addressing: {names: hosts-file}", fmt.Sprintf(`if [ -r "$hosts" ]; then r=absent; ! grep -qxF %s "$hosts" || r=present; else r=; fi; is %s present "$r"`, c.q(l), c.q("name "+l)))
	}
}

const hostsText = `
if [ "$(names)" != "$(only_block "$hosts" 2>/dev/null)" ]; then
	if without_block "$hosts" >/dev/null; then
		if ! kept hosts "$hosts" -; then
			keep hosts "$hosts" - changed
			try cp "$hosts" "$state/hosts"
		fi
		without_block "$hosts" >"$state/new" && names >>"$state/new" || end 1 "failed: the hosts file; stopped here. sh undo.sh takes back what was done"
		try cp "$state/new" "$hosts"
	else
		rest=3
		say "not set: names: $hosts has one of the marks of linerate without the other; take that line out"
	fi
fi
`
