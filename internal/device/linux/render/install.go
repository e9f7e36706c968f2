package render

import (
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/device/config"
)

// install returns the script that installs and removes the files. If several managers have files, it installs those of
// the manager that runs the machine's network.
func (c *context) install(files []placed, list []manager, why string) config.File {
	f := c.script("install.sh", "Puts the files of files/ in place; sh install.sh --undo takes them away and puts back "+
		"what was there.")
	f.Form("store=${LINERATE_STORE:-"+c.q(c.storeDir())+"}", "root=${LINERATE_ROOT:-}")
	f.Lines = append(f.Lines, installText...)
	c.charge(&f, list, why)
	c.names(&f, "nothing was changed")
	f.Form("", "# The names that the machine has, where the files have marks.")
	for _, n := range c.ports {
		f.Form(fmt.Sprintf(`names "$%s"`, n.variable))
	}
	f.Form("fill() {", "	sed \\")
	for _, n := range c.ports {
		f.Form(fmt.Sprintf(`		-e "s/@%s@/$%s/g" -e "s/@unit_%s@/$(unit "$%s")/g" \`, n.variable, n.variable, n.variable,
			n.variable))
	}
	f.Form("		\"$1\"", "}", "")
	if len(list) > 0 {
		f.Form("case $manager in")
	}
	for _, m := range list {
		f.Form(m.name + ")")
		if strings.HasPrefix(m.name, "ifupdown") {
			f.Add(interfacesDoc, "the file is read only if the main file says so",
				`	grep -Eq '^[[:space:]]*source(-directory)?[[:space:]]+(/etc/network/)?interfaces\.d' "$root/etc/network/interfaces" || end 2 "/etc/network/interfaces does not read interfaces.d: add the line 'source /etc/network/interfaces.d/*'; nothing was changed"`)
		}
		for _, x := range files {
			if x.manager == m.name {
				f.Add("plan", m.words+" reads it there", "	"+x.put())
			}
		}
		f.Form("	;;")
	}
	if len(list) > 0 {
		f.Form("esac")
	}
	for _, x := range files {
		if x.manager != "" {
			continue
		}
		f.Add("plan", "it belongs there", x.put())
		if x.Path == bootUnit {
			f.Add("systemd.unit(5)", "the unit is started at every boot",
				`link /etc/systemd/system/multi-user.target.wants/linerate-nic.service ../linerate-nic.service`)
		}
	}
	f.Form("stale", `[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :`)
	for _, n := range c.ports {
		f.Form(fmt.Sprintf(`also "$%s"`, n.variable))
	}
	f.Form(`say "installed; what was there before is in $store. The files count from the next boot on${now:+, or now with: $now}. sh install.sh --undo takes them away"`)
	return f
}

// put returns the line that installs a file. Managers ignore some files unless only root can read them.
func (x *placed) put() string {
	mode := "644"
	if strings.HasSuffix(x.Path, ".nmconnection") || strings.HasPrefix(x.Path, "/etc/netplan/") {
		mode = "600"
	}
	return strings.TrimSpace(fmt.Sprintf("put %s %s %s", x.Path, mode, x.below))
}

// charge finds out which manager's files to install, or whether the manager that the fabric file names would read them.
func (c *context) charge(f *config.File, list []manager, why string) {
	f.Form("", "now=")
	if len(list) == 0 {
		return
	}
	f.Lines = append(f.Lines, chargeText...)
	names := xslices.Map(list, func(m manager) string { return m.name })
	said := ""
	if len(list) == 1 {
		said = why
	}
	f.Form("", fmt.Sprintf("managers=%s said=%s", c.q(strings.Join(names, " ")), c.q(said)), "in_charge",
		`[ "$manager" != none ] || now=`)
}

var installText = formLines(`
here=${0%/*}
[ "$here" != "$0" ] || here=.

# names NAME: a name that would be something else in one of the files is refused
names() {
	case $1 in *[!A-Za-z0-9_.:-]*) end 2 "the interface $1 has a character that not every file takes; nothing was changed" ;; esac
}
# unit NAME: as systemd writes it in names of units
unit() { printf '%s' "$1" | sed 's/-/\\\\x2d/g'; }

# before PATH: keeps what is there, the first time only
placed=' '
before() {
	placed="$placed$1 "
	(umask 077; mkdir -p "$store") || end 1 "cannot write $store; stopped"
	grep -qsxF "present $1" "$store/list" && return
	grep -qsxF "absent $1" "$store/list" && return
	if [ -e "$root$1" ] || [ -h "$root$1" ]; then
		mkdir -p "$store/before${1%/*}" && cp -pP "$root$1" "$store/before$1" && echo "present $1" >>"$store/list" || end 1 "cannot keep $1 in $store; stopped"
	else
		echo "absent $1" >>"$store/list" || end 1 "cannot write $store; stopped"
	fi
}

# put PATH MODE FOLDER
put() {
	[ -r "$here/files${3:-}$1" ] || end 1 "there is no $here/files${3:-}$1: copy the whole folder; stopped"
	before "$1"
	mkdir -p "$root${1%/*}" && fill "$here/files${3:-}$1" >"$root$1.new" && chmod "$2" "$root$1.new" && mv "$root$1.new" "$root$1" || end 1 "failed: $1; stopped here. sh install.sh --undo undoes what was done"
}

# link PATH TO
link() {
	before "$1"
	mkdir -p "$root${1%/*}" && ln -sf "$2" "$root$1" || end 1 "failed: $1; stopped here. sh install.sh --undo undoes what was done"
}

# gone WAS PATH: takes a file away again, or puts back what was there
gone() {
	if [ "$1" = present ]; then
		cp -pP "$store/before$2" "$root$2.new" && mv "$root$2.new" "$root$2" || end 1 "cannot put back $2; it is in $store/before$2"
	else
		rm -f "$root$2"
	fi
}

# stale: what an install before this one put in place, and this one does not have, goes: files of another plan or manager
stale() {
	[ -e "$store/list" ] || return 0
	: >"$store/list.new" || end 1 "cannot write $store; stopped"
	while read -r was path; do
		case $placed in *" $path "*) echo "$was $path" >>"$store/list.new"; continue ;; esac
		gone "$was" "$path"
		say "taken away: $path, of an install before this one"
	done <"$store/list"
	mv "$store/list.new" "$store/list"
}

# also NAME: whether another file speaks of the interface too
also() {
	for dir in netplan network systemd/network NetworkManager/system-connections sysconfig/network-scripts; do
		grep -rlwF -e "$1" "$root/etc/$dir" 2>/dev/null | grep -v linerate | while read -r file; do say "note: $1 is in $file too; what both say may not agree"; done
	done
}

[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"
if [ "${1:-}" = --undo ]; then
	[ -e "$store/list" ] || end 0 "nothing to take away: $store is not there"
	while read -r was path; do gone "$was" "$path"; done <"$store/list"
	rm -rf "$store"
	rmdir "$root/etc/linerate" 2>/dev/null
	[ -n "$root" ] || ! has systemctl || systemctl daemon-reload >/dev/null 2>&1 || :
	names=
	[ -n "$root" ] || [ -z "$(only_block "${LINERATE_HOSTS:-/etc/hosts}" 2>/dev/null)" ] || names=", and the plan's names out of ${LINERATE_HOSTS:-/etc/hosts}, which else stay"
	end 0 "taken away; what was there before is back, and counts from the next boot on. Until then all that is set stays so: sh undo.sh undoes what apply.sh set since the last boot$names; what the files set at boot stays until a reboot"
fi
`)
