package report

import (
	"html/template"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// planView is what the page of a plan prints; every text in it is ready.
type planView struct {
	Policy, Version string
	Style           template.CSS

	Name, Head, Sentence   string
	File, Word             string // the fabric file as people call it, and as a word of a command
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
	Cards                  []cardView
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

// shortBill is how many items a bill has at most that is kept on one printed page.
const shortBill = 16

func newPlanView(p *plan.Plan, version string) planView {
	v := planView{Version: clean(version), Name: clean(p.Name), Cables: cableViews(p), Cards: cardViews(p), Switches: len(p.Switches) > 0, Sizes: labelSizes()}
	v.File = clean(p.File())
	v.Word = "FABRIC.yaml"
	if plainWord(v.File) {
		v.Word = v.File
	}
	if p.Variant != "" {
		v.Name += " [" + clean(p.Variant) + "]"
	}
	v.Windows = slices.ContainsFunc(p.Hosts, func(h *plan.Host) bool { return h.OS == "windows" })
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

// plainWord says whether a file's name is one word of every shell.
func plainWord(s string) bool {
	return s != "" && s[0] != '-' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// caption explains what is in the drawing, and nothing that is not.
func caption(drawn string, cables []cableView) string {
	text := "A cable is as thick as its rate"
	media := map[string]bool{}
	for _, c := range cables {
		media[c.Media] = true
	}
	if len(media) > 1 {
		text += ", and its dashes show its medium"
	}
	text += ". Ports stand in their cards, with their number and address"
	if strings.Contains(drawn, "port unused") {
		text += "; dashed ones are free"
	}
	text += "."
	named, alone := "", false
	for _, c := range cables {
		for _, e := range c.Ends {
			switch part := strings.Split(e.ID, "."); {
			case len(part) == 3 && named == "":
				named = " " + e.ID + " is port " + part[2] + " of card " + part[1] + " of " + part[0] + "."
			case len(part) == 2 && e.Card != "":
				alone = true
			}
		}
	}
	text += named
	if alone {
		text += " A card with one port has no number."
	}
	return text
}

// planCounts is "3 hosts, 3 links".
func planCounts(p *plan.Plan) string {
	parts := []string{count(len(p.Hosts), "host")}
	if len(p.Switches) > 0 {
		parts = append(parts, count(len(p.Switches), "switch"))
	}
	return strings.Join(append(parts, count(len(p.Links), "cable")), ", ")
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
		sum := t.Amount.Add(t.Spares.Times(-1)).Number() + " " + clean(t.Currency)
		if t.Spares.Amount() > 0 {
			sum += " (" + t.Amount.Number() + " with spares)"
		}
		sums = append(sums, sum)
	}
	missing := unpriced(&p.BOM)
	switch {
	case len(sums) > 0 && missing > 0:
		text = "The parts with a known price cost " + list(sums) + ", " + count(missing, "item") + " without one come on top"
	case len(sums) > 0:
		text = "The parts cost " + list(sums)
	case missing > 0:
		text = "No price is known of " + count(missing, "item")
	default:
		text = "Nothing is to be bought"
	}
	left := ""
	if unknown > 0 {
		left = "; " + count(unknown, "thing") + " could not be checked"
	}
	switch {
	case n[record.Error] > 0:
		return text + ", and " + count(n[record.Error], "thing") + " would not work" + left + ".", true
	case n[record.Warning] > 0:
		return text + ". " + count(n[record.Warning], "thing") + " to look at before buying" + left + ".", false
	case unknown > 0:
		return text + ". No check finds a fault, but " + count(unknown, "thing") + " could not be checked.", false
	}
	return text + ". No check finds a fault.", false
}
