package render

import (
	"fmt"
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// kind applies and verifies one kind of the plan's settings. restore undoes it, from the saved value.
type kind struct {
	kind   plan.SettingKind
	apply  func(*context, *config.File, plan.Setting)
	verify func(*context, *config.File, plan.Setting)
	needs  string // the program that it needs besides ip
}

// kinds are all settings of a Linux host. The plan has their order.
var kinds = []kind{
	{plan.SetLink, applyLink, verifyLink, ""},
	{plan.SetMTU, applyMTU, verifyMTU, ""},
	{plan.SetAddress, applyAddress, verifyAddress, ""},
	{plan.SetRoute, applyRoute, verifyRoute, ""},
	{plan.SetSysctl, applySysctl, verifySysctl, "sysctl"},
	{plan.SetOffload, applyOffload, verifyOffload, "ethtool"},
	{plan.SetQdisc, applyQdisc, verifyQdisc, "tc"},
	{plan.SetVLAN, applyVLAN, verifyVLAN, ""},
	{plan.SetBond, applyBond, verifyBond, ""},
	{plan.SetVFs, applyVFs, verifyVFs, ""},
	{plan.SetQoS, applyQoS, verifyQoS, "ethtool"},
}

func kindOf(k plan.SettingKind) *kind {
	i := slices.IndexFunc(kinds, func(x kind) bool { return x.kind == k })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// programs returns the programs that the host's settings need.
func (c *context) programs() []string {
	out := []string{"ip", "awk"}
	for _, s := range c.host.Settings {
		if k := kindOf(s.Kind); k != nil && k.needs != "" {
			out = xslices.AppendNew(out, k.needs)
		}
	}
	return out
}

// apply returns the script that takes effect now.
func (c *context) apply() config.File {
	f := c.script("apply.sh", "Takes effect now, until the next reboot"+c.butNames()+".")
	f.Lines = append(f.Lines, applyText...)
	c.qosKeep(&f)
	c.start(&f)
	why := ""
	for _, s := range c.host.Settings {
		k := kindOf(s.Kind)
		if k == nil {
			c.miss("settings of kind %s: no way to set them is known here", s.Kind)
			continue
		}
		if s.Why != why { // the first of several settings in a row has their reason
			why = s.Why
			f.Form("")
			if s.Kind == plan.SetSysctl {
				f.Note("for the whole machine, its other networks too: " + why)
			} else {
				f.Note(why)
			}
		}
		k.apply(c, &f, s)
	}
	c.applyHosts(&f)
	f.Form("", `if [ "$rest" = 0 ]; then say "all set; sh verify.sh reads it back, sh undo.sh undoes it"`,
		`else say "set, but for what is above; sh verify.sh reads it back, sh undo.sh undoes it"; fi`, `exit "$rest"`)
	return f
}

// start stops a script before it changes anything if it could not succeed.
func (c *context) start(f *config.File) {
	f.Form("")
	for _, p := range c.programs() {
		f.Form(fmt.Sprintf(`has %s || end 2 "%s is not installed; nothing was changed"`, p, p))
	}
	f.Form(`[ "$(id -u)" = 0 ] || end 2 "only root may do this; nothing was changed"`)
	c.names(f, "nothing was changed")
}

// applyText are the functions of apply.sh besides the prelude.
var applyText = formLines(`
rest=0

# kept KIND OBJECT KEY: whether it is kept already
kept() {
	mark=$(printf '=%s\t%s\t%s\t.' "$1" "$2" "$3")
	mark=${mark%.}
	grep -qsF "$mark" "$state/before"
}

# keep KIND OBJECT KEY VALUE: what was there before; of several calls the first counts
keep() {
	kept "$1" "$2" "$3" && return
	{ { [ -d "$state" ] || (umask 077; mkdir -p "$state"); } && printf '%s%s\n' "$mark" "$4" >>"$state/before"; } || end 1 "cannot keep in $state what was before; stopped"
}

# try COMMAND..: what has to work, or the rest makes no sense
try() {
	"$@" || end 1 "failed: $*; stopped here. sh undo.sh undoes what was done"
}

# may WHAT COMMAND..: what a machine, a driver or a namespace may not have; it is said and the rest goes on
may() {
	what=$1
	shift
	said=$("$@" 2>&1) && return
	rest=3
	say "not set: $what: $(printf '%s' "$said" | tr '\n' ' ')"
	return 1
}

# keep_sysctl KEY
keep_sysctl() {
	old=$(sysctl_of "$1")
	[ -z "$old" ] || keep sysctl "$1" - "$old"
}

# raise KEY PLANNED: a limit, which is never lowered
raise() {
	old=$(sysctl_of "$1")
	new=$(larger "$old" "$2")
	[ "$old" = "$new" ] && return
	keep_sysctl "$1"
	may "sysctl $1" sysctl -q -w "$1=$new"
}

# keep_features INTERFACE: one change of an offload may change others, so all are kept
keep_features() {
	kept features "$1" - && return
	keep features "$1" - all
	features_of "$1" | while read -r name value; do printf '=feature\t%s\t%s\t%s\n' "$1" "$name" "$value"; done >>"$state/before" || end 1 "cannot keep in $state what was before; stopped"
}
`)

// verify returns the script that verifies every setting.
func (c *context) verify() config.File {
	f := c.script("verify.sh", "Reads back and changes nothing. Exit code 0: as planned, 1: not as planned, 2: nothing "+
		"could be read, 3: something is missing or could not be read.")
	f.Lines = append(f.Lines, verifyText...)
	c.names(&f, "nothing was read")
	f.Form("")
	for _, s := range c.host.Settings {
		if k := kindOf(s.Kind); k != nil {
			k.verify(c, &f, s)
		}
	}
	c.verifyHosts(&f)
	c.verifyCarriers(&f)
	c.verifyStorage(&f)
	f.Form("", `case $worst in`, `0) say "in all: as planned, $all of $all" ;;`,
		`1) say "in all: NOT as planned: $bad of $all, which are above" ;;`,
		`*) say "in all: what could be read is as planned; $bad of $all are missing or not known, and are above" ;;`, `esac`,
		`exit "$worst"`)
	return f
}

var verifyText = formLines(`
worst=0 all=0 bad=0

# is WHAT PLANNED READ: one line
is() {
	all=$((all + 1)) bad=$((bad + 1))
	if [ -z "$3" ]; then
		say "not known: $1 could not be read, planned $2"
		[ "$worst" = 1 ] || worst=3
	elif [ "$2" = "$3" ]; then
		say "ok $1 is $3"
		bad=$((bad - 1))
	else
		say "not as planned: $1 is $3, planned $2"
		worst=1
	fi
}

# least WHAT PLANNED READ: a limit, which may be larger
least() { if [ -n "$3" ] && [ "$(larger "$3" "$2")" = "$3" ]; then is "$1" "$3" "$3"; else is "$1" "$2" "$3"; fi; }
`)
