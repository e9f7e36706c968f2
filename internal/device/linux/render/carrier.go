package render

import (
	"fmt"

	"linerate/internal/device/config"
)

// verifyCarriers checks the signal of each link, and its speed. A cable may be plugged in after the settings are made,
// and the other end may not be up yet. A missing signal therefore ends verify.sh with 3 instead of 1, so that apply is
// not undone.
func (c *context) verifyCarriers(f *config.File) {
	said := false
	for _, n := range c.ports {
		l := c.plan.Link(n.port.Link)
		if l == nil {
			continue
		}
		if !said {
			said = true
			f.Lines = append(f.Lines, carrierText...)
		}
		to := "link " + l.Name
		for i, e := range l.Ends {
			if e.ID == n.port.ID {
				to = fmt.Sprintf("cable %s to %s", l.Label, l.Ends[1-i].ID)
			}
		}
		f.Add("kernel sysfs-class-net", fmt.Sprintf("port %s: %s", n.port.ID, to),
			fmt.Sprintf(`carrier "$%s" %d %s`, n.variable, int64(l.Speed)/1e6, c.q(config.Plain(to))))
	}
}

var carrierText = formLines(`
# lacks, unknown TEXT: what no setting makes, and is not there, or cannot be read
lacks() { missed "missing: $1"; }
unknown() { missed "not known: $1"; }
missed() {
	say "$1"
	all=$((all + 1)) bad=$((bad + 1))
	[ "$worst" = 1 ] || worst=3
}

# carrier INTERFACE MBITS WHAT: whether a signal comes in at a link that is up, and how fast both ends go. 0: no speed is planned.
# A port that is made of software has a speed that says nothing of a cable.
carrier() {
	case $(ip -o link show dev "$1" 2>/dev/null) in
	*[\<,]NO-CARRIER[\>,]*) lacks "carrier of $1: it is up, and there is no signal on $3. Is the cable in at both ends, and is the port at its other end up?"; return ;;
	*[\<,]LOWER_UP[\>,]*) is "carrier of $1" there there ;;
	*[\<,]UP[\>,]*) unknown "carrier of $1, because ip does not say it" ;;
	*) return ;;
	esac
	[ "$2" != 0 ] || return
	bus=$(readlink "$sys/class/net/$1/device/subsystem") || bus=
	if [ ! -e "$sys/class/net/$1/device" ] || [ "${bus##*/}" = virtio ]; then
		say "ok: the speed of $1 is not asked, because it is not a port of a NIC"
		return
	fi
	speed=$(cat "$sys/class/net/$1/speed" 2>/dev/null) || speed=
	case $speed in
	""|*[!0-9]*) unknown "speed of $1, because its driver says none; planned $2 Mbit/s on $3" ;;
	*) if [ "$speed" -lt "$2" ]; then
		lacks "speed of $1: it is $speed Mbit/s, planned $2, on $3. What limits it: the cable or module, a port that is set to less, or a NIC of another kind; ethtool $1 shows what both ends offer"
	else is "speed of $1 (Mbit/s)" "$speed" "$speed"; fi ;;
	esac
}
`)
