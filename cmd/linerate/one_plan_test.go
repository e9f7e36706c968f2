package main

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// planOutput is what the test reads of the JSON of a plan.
type planOutput struct {
	BOM struct {
		Items []struct {
			Part, Role, Currency string
			Count                int
			UnitPrice            *json.Number `json:"unit_price"`
			Total                *json.Number
			PriceFrom            string `json:"price_from"`
		}
		Totals []struct {
			Currency       string
			Amount, Spares json.Number
		}
	}
	Cables []struct {
		Label  string
		Ends   [2]string
		Length *float64 `json:"length_m"`
		Rate   *float64 `json:"bits_per_second"`
	}
	Addresses []struct {
		Host, Port, Interface, Address, Label string
		Prefix, MTU                           int
		From                                  string `json:"interface_from"`
		Expected                              string `json:"interface_expected"`
	}
}

// figures are the texts that the figures of a plan may have.
func (p *planOutput) figures() values {
	v := values{}
	optional := func(f *float64, text func(float64) string) string {
		if f == nil {
			return "not known"
		}
		return text(*f)
	}
	exact := func(n json.Number) *big.Rat {
		r, _ := new(big.Rat).SetString(n.String())
		return r
	}
	money := func(n *json.Number, currency string) string {
		if n == nil {
			return "not known"
		}
		return exact(*n).FloatString(2) + " " + currency
	}
	for _, i := range p.BOM.Items {
		name := i.Role + " " + i.Part
		v.add(name, "", "count", strconv.Itoa(i.Count))
		if i.PriceFrom == "owned" {
			v.add(name, "", "each", "owned")
			continue
		}
		v.add(name, "", "each", money(i.UnitPrice, i.Currency))
		v.add(name, "", "total", money(i.Total, i.Currency))
	}
	for _, t := range p.BOM.Totals {
		if t.Currency != "" {
			v.add("all", "", "total", money(&t.Amount, t.Currency))
			v.add("spares", "", "total", money(&t.Spares, t.Currency))
			bought := new(big.Rat).Sub(exact(t.Amount), exact(t.Spares))
			v.add("without spares", "", "total", bought.FloatString(2)+" "+t.Currency)
		}
	}
	for _, c := range p.Cables {
		v.add(c.Label, "", "ends", c.Ends[0]+", "+c.Ends[1])
		v.add(c.Label, "", "length", optional(c.Length, func(m float64) string {
			return strconv.FormatFloat(m, 'f', -1, 64) + " m"
		}))
		v.add(c.Label, "", "rate", optional(c.Rate, func(r float64) string {
			return unit.BitRate(r).String()
		}))
	}
	for _, a := range p.Addresses {
		name := "not known"
		switch {
		case a.From == "file":
			name = a.Interface
		case a.Expected != "":
			name = a.Expected + " *"
		case strings.HasSuffix(a.Port, ".team"): // of eval-25g
			name = "the bond"
		}
		v.add(a.Port, "", "interface", name)
		v.add(a.Port, "", "address", a.Address+"/"+strconv.Itoa(a.Prefix))
		v.add(a.Port, "", "MTU", strconv.Itoa(a.MTU))
		for label := range strings.SplitSeq(a.Label, ", ") { // all those of a bond
			v.add(label, "", "MTU", strconv.Itoa(a.MTU))
		}
	}
	return v
}

// planTable reads a table of text, from its line of headers to the next empty line.
func planTable(text, headers string) (out []map[string]string) {
	var columns []field
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if columns == nil {
			if regexp.MustCompile("^ *" + headers).MatchString(line) {
				columns = fieldsOf(line)
			}
			continue
		}
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "total ") {
			break
		}
		if c := fieldsOf(line); len(c) > 2 { // and no rest of a long name
			out = append(out, under(columns, line))
		}
	}
	return out
}

var (
	wholeSum = regexp.MustCompile(`(?m)^total ([0-9.]+ [A-Z]{3})(?:, ([0-9.]+ [A-Z]{3}) of it spares)?$`)
	titleSum = regexp.MustCompile(`^\S.*, ([0-9.]+ [A-Z]{3})(?:, |\n)`)
	pageSum  = regexp.MustCompile(`(?:cost|and) ([0-9.]+ [A-Z]{3})`)
	withSum  = regexp.MustCompile(`([A-Z]{3})(?:, | \()([0-9.]+) with spares`) // on the terminal and on the page
)

// planTerminal are the figures of the plan on the terminal.
func planTerminal(text string) (out []shown) {
	add := func(path, metric, text string) {
		if text != "" {
			out = append(out, shown{"plan", path, "", metric, text})
		}
	}
	for _, row := range planTable(text, "count +part") {
		name := row["role"] + " " + row["part"]
		add(name, "count", row["count"])
		add(name, "each", row["each"])
		if row["each"] != "owned" {
			add(name, "total", row["total"])
		}
	}
	for _, m := range wholeSum.FindAllStringSubmatch(text, -1) {
		add("all", "total", m[1])
		add("spares", "total", m[2])
	}
	if m := titleSum.FindStringSubmatch(text); m != nil {
		add("without spares", "total", m[1])
	}
	if m := withSum.FindStringSubmatch(text); m != nil {
		add("all", "total", m[2]+" "+m[1])
	}
	for _, row := range planTable(text, "label +end") {
		add(row["label"], "ends", row["end"]+", "+row["other end"])
		add(row["label"], "length", row["length"])
		add(row["label"], "rate", row["rate"])
	}
	for _, row := range planTable(text, "host +port") {
		for _, metric := range []string{"interface", "address", "MTU"} {
			add(row["port"], metric, row[metric])
		}
	}
	return out
}

// planPage are the figures of a plan's page.
func planPage(t *testing.T, html string) (out []shown) {
	t.Helper()
	wholes := []string{"all", "spares", "without spares"}
	const below = "|" // divides what is below a text from it
	tables, _ := pageFields(t, strings.ReplaceAll(html, `<span class="below`, below+`<span class="below`))
	add := func(path, metric, text string) {
		if text != "" {
			out = append(out, shown{"plan.html", path, "", metric, text})
		}
	}
	for _, x := range tables {
		for _, texts := range x.rows {
			row := map[string]string{}
			for i, c := range texts {
				if i < len(x.headers) {
					c, _, _ = strings.Cut(c, below)
					row[x.headers[i]] = strings.TrimSpace(c)
				}
			}
			name := row["what"]
			if row["part"] != "" {
				name = strings.Replace(name, "NIC", "nic", 1) + " " + row["part"]
			}
			switch {
			case row["what"] != "" && (row["each"] != "" || slices.Contains(wholes, name)):
				add(name, "count", row["count"])
				add(name, "each", row["each"])
				for header, text := range row {
					if currency, ok := strings.CutPrefix(header, "total, "); ok && text != "" && row["each"] != "owned" {
						add(name, "total", text+" "+currency)
					}
				}
			case row["label"] != "":
				add(row["label"], "ends", row["from"]+", "+row["to"])
				add(row["label"], "length", row["length"])
				add(row["label"], "rate", row["rate"])
			case row["port"] != "":
				for _, metric := range []string{"interface", "address", "MTU"} {
					add(row["port"], metric, row[metric])
				}
			}
		}
	}
	_, answer, _ := strings.Cut(html, `<p class="answer">`)
	answer, _, _ = strings.Cut(answer, "</p>")
	for _, m := range pageSum.FindAllStringSubmatch(answer, -1) {
		add("without spares", "total", m[1])
	}
	for _, m := range withSum.FindAllStringSubmatch(answer, -1) {
		add("all", "total", m[2]+" "+m[1])
	}
	return out
}

// The figures of a plan are the same on the terminal, on its page, in its JSON and in the README that config writes.
func TestOnePlan(t *testing.T) {
	compared := map[string]int{}
	for _, name := range []string{"mesh-10g", "nas-40g", "roce-100g", "eval-25g", "pairs-ib", "exam"} {
		folder := filepath.Join(t.TempDir(), name)
		text := call(t, nil, "plan", example(name)).out
		var p planOutput
		testenv.Check(t, json.Unmarshal([]byte(call(t, nil, "plan", example(name), "--json").out), &p))
		call(t, nil, "plan", example(name), "-o", folder)
		all := planTerminal(text)
		all = append(all, planPage(t, string(testenv.Must(os.ReadFile(filepath.Join(folder, "plan.html")))(t)))...)
		a := call(t, nil, "config", example(name), "-o", folder+"-config")
		if !slices.Contains([]int{cli.ExitDone, cli.ExitIncomplete}, int(a.code)) {
			t.Fatal(a)
		}
		readme := string(testenv.Must(os.ReadFile(filepath.Join(folder+"-config", "README.md")))(t))
		for _, row := range planTable(readme, "cable +one end") {
			for metric, text := range map[string]string{"ends": row["one end"] + ", " + row["other end"],
				"length": row["length"], "rate": row["speed"], "MTU": row["MTU"]} {
				all = append(all, shown{"README", row["cable"], "", metric, text})
			}
		}
		for k, n := range compareValues(t, name, p.figures(), all) {
			compared[k] += n
		}
	}
	for _, where := range []string{"plan", "plan.html"} {
		for _, metric := range []string{"count", "each", "total", "ends", "length", "rate", "interface", "address", "MTU"} {
			if compared[where+" "+metric] < 3 {
				t.Errorf("few of %s %s were compared: %v", where, metric, compared)
			}
		}
	}
	for _, metric := range []string{"ends", "length", "rate", "MTU"} {
		if compared["README "+metric] < 3 {
			t.Errorf("few of README %s were compared: %v", metric, compared)
		}
	}
}
