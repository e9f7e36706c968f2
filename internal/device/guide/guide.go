// Package guide writes the README of the rendered folder: the order of the work, from labels to the test of each link,
// how the management network stays separate, and what each link should carry.
package guide

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// FileName is the guide's name in the folder that holds the devices' folders.
const FileName = "README.md"

// writer is a guide during writing.
type writer struct {
	p       *plan.Plan
	devices []config.Device
	f       *config.File
	step    int
}

// Readme writes the guide of a rendered plan; groups are the hosts that share a README, and refused the devices
// without a folder, with the reasons. Long lists
// are cut: a text for a group of hosts is written once, and cables.csv of the plan has every cable.
func Readme(p *plan.Plan, devices []config.Device, groups []config.Group, refused []string) config.File {
	w := &writer{p: p, devices: devices, f: &config.File{Name: FileName}}
	w.say("# %s: how to build it", p.Name)
	w.say("")
	w.say("linerate wrote this folder from %s. Each device has a subfolder with its own README%s. This page has the "+
		"order of the work, and at the end a test for each link.", p.File(),
		unit.If(len(groups) > 0, "; equal hosts share one", ""))
	for _, g := range groups {
		w.say("- %s: %s, with the values of each host; their scripts are in a subfolder for each",
			w.names(xslices.Map(g.Hosts, p.Host)), g.Readme.Name)
	}
	w.say("")
	w.say("You also need the output of `linerate plan %s -o DIR`: the drawing and tables (plan.html), the labels "+
		"(labels.html), and the shopping list (bom.csv).", p.Arguments())
	w.say("To change something, edit %s and run `linerate config %s -o DIR` again. Each README also says what you can "+
		"change in the scripts themselves. New addresses need the file.", p.File(), p.Arguments())
	w.section("Order of work")
	w.labels()
	w.before()
	w.nics()
	w.cables()
	w.order()
	w.next("Test each link (see below).")
	w.next("Reboot the hosts one by one, and run verify on each again. This shows settings that a reboot loses.")
	if len(refused) > 0 {
		w.section("Devices without a folder")
		for _, r := range refused {
			w.say("- %s", r)
		}
	}
	w.apart()
	w.tests()
	return *w.f
}

func (w *writer) say(format string, args ...any) {
	w.f.Form(strings.TrimRight(config.Plain(fmt.Sprintf(format, args...)), " "))
}

func (w *writer) section(title string) {
	w.say("")
	w.say("## %s", title)
	w.say("")
}

// next writes the next step of the order.
func (w *writer) next(format string, args ...any) {
	w.step++
	w.say("%d. %s", w.step, fmt.Sprintf(format, args...))
}

// under writes a line that belongs to the step before it.
func (w *writer) under(format string, args ...any) { w.say("   "+format, args...) }

// longest is the largest number of rows of a table.
const longest = 24

// table writes a table as code below the step before it. The first row has the titles. A long table is cut, with a line
// that names the file with all rows.
func (w *writer) table(rows [][]string, all string) {
	left := len(rows) - 1 - longest
	if left > 0 {
		rows = rows[:longest+1]
	}
	w.say("")
	for _, l := range config.Columns(rows) {
		w.say("       %s", l)
	}
	w.say("")
	if left > 0 {
		w.under("And %d more %s.", left, all)
		w.say("")
	}
}

func (w *writer) labels() {
	w.next("Print labels.html at 100 %% and put one label on each end of each cable. The label names the port for " +
		"that end.")
}
