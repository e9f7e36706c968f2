package design

import (
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/families"
	"linerate/internal/record"
	"linerate/internal/report/diagram"
	"linerate/internal/report/format"
)

// planView is what the page of a plan prints; every text in it is ready.
type planView struct {
	Policy, Version string
	Style           template.CSS

	Name, Head, Sentence   string
	File, Word             string // the fabric file for reading, and quoted for a command
	Wrong                  bool
	Fabric                 template.HTML
	Caption                string
	Notes                  []string
	Tall                   bool // the drawing goes on a printed page of its own
	Problems               []record.Problem
	Unchecked, Known       []record.Problem // what could not be checked; what is good to know
	Currencies             []string
	Roles                  []roleView
	Totals                 []totalView
	Unpriced               string
	Written, FromCatalogue bool // prices of the file, prices of the catalogue
	Short                  bool // the bill goes on one printed page
	NICs                   []nicView
	Switches, Windows      bool
	Cables                 []cableView
	VLANs, Names           bool // some cable has one, some port has a name in the file
	Addresses              []addressView
	Expected               bool // some interface's name is the one that its driver's counting gives
	HostsFiles             []hostsFile
	HostsLeft              string
	Machines               []machineView
	Sizes                  []labelSize
}

// shortBill is the largest number of items in a bill that is kept on one printed page.
const shortBill = 16

func newPlanView(p *plan.Plan, version string) planView {
	v := planView{Version: format.Clean(version), Name: format.Clean(p.Name), Cables: cableViews(p),
		NICs: nicViews(p), Switches: len(p.Switches) > 0, Sizes: labelSizes()}
	v.File = format.Clean(p.File())
	v.Word = "FABRIC.yaml"
	if plainWord(v.File) {
		v.Word = v.File
	}
	if p.Variant != "" {
		v.Name += " [" + format.Clean(p.Variant) + "]"
	}
	v.Windows = slices.ContainsFunc(p.Hosts, func(h *plan.Host) bool { return families.Traits(h.OS).PowerShell })
	for _, problem := range p.Problems {
		switch {
		case problem.Severity != record.Info:
			v.Problems = append(v.Problems, problem)
		case problem.Unknown:
			v.Unchecked = append(v.Unchecked, problem)
		default:
			v.Known = append(v.Known, problem)
		}
	}
	v.Head = planCounts(p)
	v.Sentence, v.Wrong = planSentence(p)
	drawn, note := planDrawing(p)
	v.Fabric = drawn
	v.Tall = strings.Contains(string(drawn[:min(len(drawn), 100)]), " tall")
	if note != "" {
		v.Notes = append(v.Notes, note)
	}
	v.bill(&p.BOM)
	v.Short = len(p.BOM.Items) <= shortBill
	v.Addresses, v.Expected = addressViews(p)
	v.Caption = caption(string(drawn), v.Cables)
	v.hosts(p)
	v.labels(p)
	return v
}

// plainWord reports whether a file's name is one word of every shell.
func plainWord(s string) bool {
	return s != "" && s[0] != '-' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// caption explains only what is in the drawing.
func caption(drawn string, cables []cableView) string {
	text := "A cable is as thick as its rate"
	media := xslices.SetOf(cables, func(c cableView) string { return c.Media })
	if len(media) > 1 {
		text += ", and its dashes show its medium"
	}
	text += ". Ports are in their NICs, with their number and address"
	if strings.Contains(drawn, "port unused") {
		text += "; dashed ones are free"
	}
	text += "."
	named, alone := "", false
	for _, c := range cables {
		for _, e := range c.Ends {
			switch part := strings.Split(e.ID, "."); {
			case len(part) == 3 && named == "":
				named = " " + e.ID + " is port " + part[2] + " of NIC " + part[1] + " of " + part[0] + "."
			case len(part) == 2 && e.NIC != "":
				alone = true
			}
		}
	}
	text += named
	if alone {
		text += " A NIC with one port has no number."
	}
	return text
}

// planCounts is "3 hosts, 3 links".
func planCounts(p *plan.Plan) string {
	parts := []string{unit.Counted(len(p.Hosts), "host")}
	if len(p.Switches) > 0 {
		parts = append(parts, unit.Counted(len(p.Switches), "switch"))
	}
	return strings.Join(append(parts, unit.Counted(len(p.Links), "cable")), ", ")
}

// planSentence is the answer to whether to buy: what it costs and whether it works.
func planSentence(p *plan.Plan) (text string, wrong bool) {
	n := map[record.Severity]int{}
	unknown := 0
	for _, problem := range p.Problems {
		n[problem.Severity]++
		if problem.Unknown {
			unknown++
		}
	}
	var sums []string
	for _, t := range p.BOM.Totals {
		if t.Currency == "" || t.Amount.Amount() == 0 && t.Unpriced > 0 {
			continue
		}
		sum := t.Amount.Add(t.Spares.Times(-1)).Number() + " " + format.Clean(t.Currency)
		if t.Spares.Amount() > 0 {
			sum += " (" + t.Amount.Number() + " with spares)"
		}
		sums = append(sums, sum)
	}
	missing := unpriced(&p.BOM)
	switch {
	case len(sums) > 0 && missing > 0:
		text = "The parts with a known price cost " + unit.List(sums) + ", " + unit.Counted(missing,
			"item") + " without one come on top"
	case len(sums) > 0:
		text = "The parts cost " + unit.List(sums)
	case missing > 0:
		text = "No price is known of " + unit.Counted(missing, "item")
	default:
		text = "Nothing is to be bought"
	}
	left := ""
	if unknown > 0 {
		left = "; " + unit.Counted(unknown, "thing") + " could not be checked"
	}
	switch {
	case n[record.Error] > 0:
		return text + ", and " + unit.Counted(n[record.Error], "thing") + " would not work" + left + ".", true
	case n[record.Warning] > 0:
		return text + ". " + unit.Counted(n[record.Warning], "thing") + " to look at before buying" + left + ".", false
	case unknown > 0:
		return text + ". No check finds a fault, but " + unit.Counted(unknown, "thing") + " could not be checked.", false
	}
	return text + ". No check finds a fault.", false
}

// planDrawing draws a plan's fabric. The note says what is grouped or omitted.
func planDrawing(p *plan.Plan) (drawn template.HTML, note string) {
	picture := p.Picture()
	for i, h := range p.Hosts {
		expected := h.Expected()
		named(picture.Hosts[i].Ports, expected)
		named(picture.Hosts[i].Unused, expected)
	}
	return diagram.PictureDrawing(p.Name, &picture)
}

// named replaces the lab's names of ports, which do not exist on the hosts, by those that drivers assign.
func named(ports []record.PicturePort, expected map[string]string) {
	for i := range ports {
		if ports[i].Assumed {
			ports[i].Interface = expected[ports[i].ID]
		}
	}
}
