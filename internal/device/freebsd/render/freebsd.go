// Package render writes the configuration of hosts with FreeBSD, as shell scripts and blocks of its configuration
// files. For TrueNAS, which writes these files itself, it writes steps in the web interface.
package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// render is one host during rendering.
type render struct {
	p     *plan.Plan
	h     *plan.Host
	d     *config.Device
	q     *device.QoS
	ports []*port
	gaps  device.Gaps

	apply, verify, undo               *config.File
	keeps, changes                    *config.File // of apply: all old values are saved before anything is changed
	loaderConf, rc, sysctlConf, names *config.File
}

// change returns the command of a line that sets something in the running system. The scripts skip such lines below
// another root.
func change(text string) string {
	command, _ := strings.CutPrefix(text, `[ -n "$root" ] || `)
	command, _ = strings.CutSuffix(command, " >/dev/null")
	for _, program := range []string{"ifconfig ", "sysctl ", "kldload ", "route "} {
		if strings.HasPrefix(command, program) && !strings.ContainsAny(command, "|>") {
			return command
		}
	}
	return ""
}

// Host renders a host with FreeBSD.
func Host(p *plan.Plan, h *plan.Host) (config.Device, error) {
	d := config.Device{What: "FreeBSD", Change: change}
	if h.Decl.Version != "" {
		d.What += " " + h.Decl.Version
	}
	r := &render{p: p, h: h, d: &d, q: p.QoS(), gaps: p.HostGaps(h)}
	if err := config.Refuse("host "+h.Name, r.gaps.Refusals()); err != nil {
		return d, err
	}
	d.Gaps(r.gaps.Missing())
	r.ports = findPorts(p, h)
	file := func(name, path string, exec bool) *config.File {
		return &config.File{Name: name, Path: path, Comment: "#", Exec: exec}
	}
	r.apply, r.verify, r.undo = file("apply.sh", "", true), file("verify.sh", "", true), file("undo.sh", "", true)
	r.loaderConf, r.rc = file("files/loader.conf", "/boot/loader.conf, as a block in it", false),
		file("files/rc.conf", "/etc/rc.conf, as a block in it", false)
	r.sysctlConf, r.names = file("files/sysctl.conf", "/etc/sysctl.conf, as a block in it", false),
		file("files/hosts", "/etc/hosts, as a block in it", false)
	r.keeps, r.changes = &config.File{Comment: "#"}, &config.File{Comment: "#"}
	r.head()
	r.loadDrivers()
	for _, port := range r.ports {
		r.port(port)
	}
	if err := r.hosts(); err != nil {
		return d, err
	}
	r.tail()
	for _, f := range []*config.File{r.apply, r.verify, r.undo, r.loaderConf, r.rc, r.sysctlConf, r.names} {
		if len(f.Lines) > 0 {
			d.Files = append(d.Files, *f)
		}
	}
	r.steps()
	return d, nil
}

// isFunction compares a value with the planned one. A value that could not be read is unknown.
var isFunction = []string{"bad=0 unknown=0", "# is WHAT PLANNED ACTUAL", "is() {",
	`	if [ -z "$3" ]; then echo "not known: $1 could not be read"; unknown=1`,
	`	elif [ "$2" != "$3" ]; then echo "not as planned: $1 is $3, planned $2"; bad=1; fi`, "}"}

// verifyEnd prints the result.
var verifyEnd = []string{`[ "$bad" = 0 ] || exit 1`, `[ "$unknown" = 0 ] || exit 3`, `echo "as planned"`}

// blockFunctions put a block of lines between two markers into a file, once, and remove it.
var blockFunctions = []string{
	"# The block of this fabric in a configuration file is between two marks. unblock FILE takes it out, block " +
		"FILE LINES puts it at the end,",
	"# whole FILE ends the script if one mark is there without the other: then the end of the block is unknown.",
	"whole() {",
	`	[ -e "$1" ] || return 0`,
	`	awk -v b="$begin" -v e="$end" '$0 == b { if (i) x = 1; i = 1 } $0 == e { if (!i) x = 1; i = 0 } END { exit i || x }' "$1" ||`,
	`		{ echo "nothing was changed: $1 has one of the lines '$begin' and '$end' without the other; take it out by hand" >&2; exit 1; }`,
	"}",
	"unblock() {",
	`	[ -e "$1" ] && grep -qxF "$begin" "$1" || return 0`,
	`	awk -v b="$begin" -v e="$end" '$0 == b { skip = 1 } !skip { print } $0 == e { skip = 0 }' "$1" >"$1.linerate"`,
	`	cat "$1.linerate" >"$1"`,
	`	rm "$1.linerate"`,
	"}",
	"block() {",
	`	unblock "$1"`,
	`	[ ! -s "$1" ] || [ -z "$(tail -c 1 "$1")" ] || echo >>"$1"`,
	`	{ echo "$begin"; cat "$2"; echo "$end"; } >>"$1"`,
	"}",
}

func (r *render) head() {
	for _, f := range []*config.File{r.apply, r.verify, r.undo} {
		f.Form("#!/bin/sh")
		f.Note(fmt.Sprintf("%s of the fabric %s: %s", r.h.Name, r.p.Name, strings.TrimSuffix(f.Name, ".sh")))
	}
	for _, f := range []*config.File{r.apply, r.undo} {
		f.Form("set -eu", `cd "$(dirname "$0")"`,
			"# LINERATE_ROOT names another system's files, such as a mounted image: then only its files are written.",
			"root=${LINERATE_ROOT:-}", "state=$root/var/db/linerate/"+r.p.Name+"."+r.h.Name,
			`begin="# linerate begin `+r.p.Name+`"`, `end="# linerate end `+r.p.Name+`"`,
			`[ -n "$root" ] || [ "$(id -u)" = 0 ] || { echo "nothing was changed: run it as root" >&2; exit 1; }`)
		f.Form(blockFunctions...)
		f.Form(`for f in /boot/loader.conf /etc/rc.conf /etc/sysctl.conf /etc/hosts; do whole "$root$f"; done`)
	}
	r.undo.Form(`[ -d "$state" ] || { echo "there is nothing to undo: $state is not there" >&2; exit 1; }`)
	r.verify.Form(isFunction...)
}

// loadDrivers loads each driver once, and checks that the interfaces exist before anything else is changed.
func (r *render) loadDrivers() {
	seen := map[string]bool{}
	for _, p := range r.ports {
		for _, m := range modules(p.driver) {
			if seen[m] {
				continue
			}
			seen[m] = true
			why := fmt.Sprintf("the driver of port %s; it is not loaded by itself", p.ID)
			source := kldload
			if m == "mlx4en" {
				source = document
			}
			r.apply.Add(source, why, fmt.Sprintf(`[ -n "$root" ] || kldload -n %s`, m))
			r.loaderConf.Add(loader, why+"; at boot", m+`_load="YES"`)
		}
	}
	for _, p := range r.ports {
		if p.bond != nil {
			continue
		}
		if p.name == "" {
			r.apply.Add(ifconfig, "port "+p.ID+": neither the file nor the catalogue says how its interface is called",
				"echo "+r.unnamed(p)+" >&2; exit 1")
			continue
		}
		r.apply.Add(ifconfig, "port "+p.ID+" has to be there before anything is changed",
			fmt.Sprintf(`[ -n "$root" ] || ifconfig %s >/dev/null 2>&1 || { echo %s >&2; exit 1; }`, p.name, r.absent(p)))
	}
	r.apply.Form(`mkdir -p "$state"`)
}

// tail ends the scripts: apply puts blocks into files, undo removes them.
func (r *render) tail() {
	r.apply.Note("what is there now, for undo.sh; a second apply keeps what the first one found")
	r.apply.Lines = append(r.apply.Lines, r.keeps.Lines...)
	r.apply.Note("from here on things are changed")
	r.apply.Lines = append(r.apply.Lines, r.changes.Lines...)
	for _, f := range []*config.File{r.loaderConf, r.rc, r.sysctlConf, r.names} {
		if len(f.Lines) == 0 {
			continue
		}
		path, _, _ := strings.Cut(f.Path, ",")
		source := map[*config.File]config.Source{r.loaderConf: loader, r.rc: rcConf, r.sysctlConf: sysctl, r.names: hosts}[f]
		r.apply.Add(source, "so that it outlives a reboot", fmt.Sprintf(`block "$root%s" %s`, path, f.Name))
		r.undo.Add(source, "taken out of the file again", fmt.Sprintf(`unblock "$root%s"`, path))
		for _, l := range f.Lines {
			q, err := config.Shell(l.Text)
			if err != nil || strings.HasPrefix(l.Text, "#") {
				continue
			}
			r.verify.Add(source, "so that it outlives a reboot",
				fmt.Sprintf(`grep -qxF %s %s || { echo "not as planned: %s has no line "%s; bad=1; }`, q, path, path, q))
		}
	}
	r.apply.Form(`echo "done; now sh verify.sh"`)
	r.undo.Form(`rm -r "$state"`, `echo "undone; the drivers stay loaded until the next reboot"`)
	r.verify.Form(verifyEnd...)
}

// hosts writes the names of the peers.
func (r *render) hosts() error {
	if r.p.Fabric.Addressing.Names != "hosts-file" {
		return nil
	}
	for _, n := range r.h.Names {
		for _, name := range n.Names {
			if !device.BareWord(name) {
				return &config.Refused{Text: name, Language: "a hosts file", Why: "it is not a host name"}
			}
		}
		r.names.Add(hosts, "names of the peers on each link (names: hosts-file)",
			n.Address.String()+" "+strings.Join(n.Names, " "))
	}
	return nil
}

func (r *render) steps() {
	r.whichPort("`ifconfig NAME up`, then `ifconfig NAME` shows `status: active`")
	linked := ""
	if slices.ContainsFunc(r.ports, func(p *port) bool { return p.Link != "" && p.name != "" }) {
		linked = ". It also looks at the links: each cable has to be plugged, and the other end on and set up"
	}
	r.d.Steps = []config.Step{
		{Do: "copy this folder to the host and go into it there, as root"},
		{Do: "sh apply.sh: it takes effect now, and writes blocks into the host's own files so that it outlives a reboot",
			Interrupts: "the ports that the plan names, for a moment: an interface may restart when its MTU changes"},
		{Do: `sh verify.sh: it ends with "as planned" (0), or says what is not (1) or what is not known (3)` + linked},
		{Do: "to take it back: sh undo.sh", Interrupts: "the ports that the plan names, for a moment"},
	}
	r.d.Unverified = append(r.d.Unverified,
		"not run: there is no FreeBSD here. The scripts were run with substitutes for ifconfig, sysctl and kldload, "+
			"forwards and back; the commands have the form of FreeBSD's manual pages")
}
