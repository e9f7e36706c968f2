package explanation

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"linerate/docs"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	limiters "linerate/internal/explain/cause"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
	"linerate/internal/report/terminal"
)

// Problem is what the id of a cause, a check, a design rule or an error means.
type Problem struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // cause, check, rule, error
	Of   string `json:"of,omitempty"`
	What string `json:"what"`
	// Symptom is what a user notices, or why it matters.
	Symptom string `json:"symptom"`
	// Evidence proves it; an error has a reason instead.
	Evidence string `json:"evidence"`
	Why      string `json:"why,omitempty"`
	Fix      string `json:"fix"`
	Undo     string `json:"undo"`
	// Example is a case of the project's tests.
	Example Example `json:"example"`
	Source  string  `json:"source,omitempty"`
	// OfValue is when explain says it of a value that another tool printed; empty: never.
	OfValue string `json:"of_value,omitempty"`
}

// Example is one case of a problem, as linerate printed it.
type Example struct {
	Text string   `json:"text"`
	Cost string   `json:"cost,omitempty"`
	Seen []string `json:"seen,omitempty"`
	Fix  string   `json:"fix,omitempty"`
	Undo string   `json:"undo,omitempty"`
}

// The kinds of problems.
const (
	ofCause = "cause"
	ofCheck = "check"
	ofRule  = "rule"
	ofError = "error"
)

//go:embed examples.json
var examplesText []byte

// examples are by kind, then by id. A test writes them from the recorded runs and the cases of the checks and rules.
var examples = sync.OnceValue(func() map[string]map[string]Example {
	all := map[string]map[string]Example{}
	if err := json.Unmarshal(examplesText, &all); err != nil {
		panic("examples.json: " + err.Error())
	}
	return all
})

// Problems returns all problems, those of one kind together.
func Problems() (out []Problem) {
	of := func(kind, id string) Example { return examples()[kind][id] }
	for _, c := range docs.Causes() {
		for _, id := range c.IDs {
			at := slices.IndexFunc(out, func(p Problem) bool { return p.ID == id })
			if c.Section == "Figures of others" && at >= 0 {
				out[at].OfValue = c.What
				continue
			}
			e := of(ofCause, id)
			p := Problem{ID: id, Kind: ofCause, Of: strings.ToLower(c.Section), What: capital(c.What), Evidence: c.Evidence,
				Fix: c.Fix, Undo: e.Undo, Example: e, Symptom: limiters.Plain(&record.Verdict{Limiter: id})}
			if p.Evidence == "" {
				p.Evidence = c.What
			}
			if p.Symptom == "" {
				p.Symptom = e.Text
			}
			if p.Symptom == "" {
				p.Symptom = "A test carries less than its ceiling, or a value is not what it seems."
			}
			out = append(out, p)
		}
	}
	for _, k := range checks.All() {
		e := of(ofCheck, k.ID)
		out = append(out, Problem{ID: k.ID, Kind: ofCheck, What: capital(k.Title), Symptom: sentence(k.Why),
			Evidence: strings.Join(e.Seen, "; "), Fix: e.Fix, Undo: e.Undo, Example: e, Source: k.Source})
	}
	for _, r := range plan.Rules() {
		e := of(ofRule, r.ID)
		out = append(out, Problem{ID: r.ID, Kind: ofRule, What: capital(r.Title), Symptom: sentence(r.Why),
			Evidence: "linerate plan: " + e.Text, Fix: e.Fix, Example: e})
	}
	for _, x := range docs.Errors() {
		e := of(ofError, x.ID)
		symptom, _, _ := strings.Cut(e.Text, "\n")
		out = append(out, Problem{ID: x.ID, Kind: ofError, What: x.What, Symptom: symptom, Why: x.Why, Fix: x.Write,
			Undo: "nothing to undo: linerate has changed nothing", Example: e})
	}
	for i := range out {
		out[i].complete()
	}
	return out
}

// complete says what to do where no case of the tests has it.
func (p *Problem) complete() {
	if p.Fix == "" {
		p.Fix = p.Example.Fix
	}
	if p.Fix == "" {
		p.Fix = "nothing to fix on a host: the value is at its ceiling, or says something else than it seems"
	}
	if p.Undo != "" {
		return
	}
	p.Undo = "nothing to undo"
	switch {
	case p.Kind == ofRule:
		p.Undo = "change the fabric file back; linerate plan changes nothing else"
	case strings.Contains(p.Fix, "sysctl") || strings.Contains(p.Fix, "ip ") || strings.Contains(p.Fix, "tc ") ||
		strings.Contains(p.Fix, "ethtool"):
		p.Undo = "the same command with the previous value, which linerate prints below the fix"
	}
}

// pagesOf returns the pages of an id: it may be that of a cause, a check and a rule.
func pagesOf(id string) []Problem {
	return xslices.Filter(Problems(), func(p Problem) bool { return p.ID == strings.ToLower(id) })
}

func hasPage(id string) bool { return len(pagesOf(id)) > 0 }

// nearest returns the id that a word is probably meant to be; empty: none is near.
func nearest(word string) string {
	var ids []string
	for _, p := range Problems() {
		ids = xslices.AppendNew(ids, p.ID)
	}
	word = strings.ToLower(word)
	if near := fabric.Nearest(word, ids); near != "" {
		return near
	}
	i := slices.IndexFunc(ids, func(id string) bool { return len(word) > 2 && strings.Contains(id, word) })
	if i < 0 {
		return ""
	}
	return ids[i]
}

// list prints the ids with their summaries.
func list(e *cli.Env, asJSON bool) error {
	all := Problems()
	if asJSON {
		return e.PrintObject("problems", Pages{all})
	}
	l := e.Terminal().Lines()
	for i, kind := range []string{ofCause, ofCheck, ofRule, ofError} {
		if i > 0 {
			l.Gap()
		}
		l.Line(l.Ink(terminal.Bold, map[string]string{ofCause: "causes (run, explain)", ofCheck: "checks (check)",
			ofRule: "design rules (plan)", ofError: "errors of files and command lines"}[kind]))
		seen := map[string]bool{}
		for _, p := range all {
			if p.Kind == kind && !seen[p.ID] {
				seen[p.ID] = true
				l.Item(2, 24, p.ID, terminal.Normal, p.What)
			}
		}
	}
	return l.Flush()
}

// Pages is the JSON of explain ID and explain --list.
type Pages struct {
	Problems []Problem `json:"problems"`
}

// page prints what an id means.
func page(e *cli.Env, id string, asJSON bool) error {
	all := pagesOf(id)
	if asJSON {
		return e.PrintObject("problems", Pages{all})
	}
	l := e.Terminal().Lines()
	for i, p := range all {
		if i > 0 {
			l.Gap()
		}
		kind := p.Kind
		if p.Of != "" {
			kind += " " + p.Of
		}
		l.Line(l.Ink(terminal.Bold, p.ID), l.Ink(terminal.Faint, "  "+kind))
		l.Text(terminal.Normal, 0, sentence(p.What))
		l.Gap()
		row := func(label, text string) {
			if text != "" {
				l.Item(2, 8, label, terminal.Normal, text)
			}
		}
		steps := func(label, text string) {
			for j, s := range record.StepsOf(text) {
				if j > 0 {
					label = ""
				}
				if s.Command {
					l.Command(2, 8, label, s.String())
				} else {
					l.Item(2, 8, label, terminal.Normal, s.Text)
				}
			}
		}
		row("symptom", p.Symptom)
		if p.Kind == ofError {
			p.printError(l)
			continue
		}
		row("evidence", p.Evidence)
		row("of value", p.OfValue)
		steps("fix", p.Fix)
		steps("undo", p.Undo)
		row("example", p.exampleText())
		if p.Example.Fix != "" && p.Example.Fix != p.Fix {
			steps("", "fix: "+p.Example.Fix)
		}
		row("source", p.Source)
		for i, command := range p.commands() {
			l.Command(2, 8, unit.If(i == 0, "run it", ""), command)
		}
	}
	return l.Flush()
}

// commands returns what shows whether a machine has the problem. A cause is found without a fabric file, too.
func (p Problem) commands() []string {
	switch p.Kind {
	case ofCause:
		return []string{"linerate quick HOST", "linerate run FABRIC.yaml   if there is a fabric file"}
	case ofCheck:
		return []string{"linerate check FABRIC.yaml --checks " + p.ID}
	case ofRule:
		return []string{"linerate plan FABRIC.yaml"}
	}
	return nil
}

// printError prints why a kind of error is one, what to write, and an example as it is printed.
func (p Problem) printError(l *terminal.Lines) {
	l.Item(2, 8, "why", terminal.Normal, p.Why)
	l.Item(2, 8, "write", terminal.Normal, p.Fix)
	for i, line := range strings.Split(p.Example.Text, "\n") {
		label := ""
		if i == 0 {
			label = "example"
		}
		l.Command(2, 8, label, line)
	}
}

// exampleText is the case in a sentence or two.
func (p Problem) exampleText() string {
	e := p.Example
	switch {
	case e.Text == "" && p.Kind == ofCause:
		return "no run with it is recorded; docs/figures.md and docs/causes.md have more"
	case e.Cost != "":
		return fmt.Sprintf("%s. Costs: %s.", e.Text, strings.TrimSuffix(e.Cost, "."))
	}
	return e.Text
}

// sentence makes a sentence of a phrase.
func sentence(text string) string {
	text = capital(text)
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
