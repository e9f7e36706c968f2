package explanation

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
	"linerate/internal/explain/figures"
	"linerate/internal/explain/paste"
	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
	"linerate/internal/report"
)

// piece is a part of an input.
type piece struct {
	paste.Part
	in *input
}

// at names the lines of a piece: "out.txt, line 7", "lines 3 to 9 of standard input".
func (p piece) at() string {
	if p.From == p.To {
		return fmt.Sprintf("%s, line %d", cli.Clean(p.in.name), p.From)
	}
	return fmt.Sprintf("%s, lines %d to %d", cli.Clean(p.in.name), p.From, p.To)
}

// NotRead is a part of an input that was not read.
type NotRead struct {
	Input string `json:"input"`
	From  int    `json:"from_line"`
	To    int    `json:"to_line"`
	Why   string `json:"why"`
	First string `json:"first_line"`
}

// Result is the JSON of explain.
type Result struct {
	Figures  []*figures.Claim `json:"figures"`
	Findings []record.Finding `json:"findings"`
	NotRead  []NotRead        `json:"not_read"`
}

// Texts explains what other tools and commands of hosts printed, and the figures of the command line. tool is the
// format of all texts; empty: they are recognised.
func Texts(e *cli.Env, f *ceilings.ClaimFlags, inputs []input, tool string) error {
	var pieces []piece
	if format := paste.Named(tool); tool != "" && (format == nil || !format.IsRead()) {
		e.Errors.Add(&cli.Advice{Text: fmt.Sprintf("--tool %s: linerate does not read the output of such a tool", tool),
			Help: []string{"write --tool " + strings.Join(paste.ReadNames(), ", ")}})
	} else {
		for i := range inputs {
			if format != nil {
				pieces = append(pieces, piece{paste.As(format, inputs[i].text), &inputs[i]})
				continue
			}
			for _, p := range paste.Parts(inputs[i].text) {
				pieces = append(pieces, piece{p, &inputs[i]})
			}
		}
	}
	var hosts []piece
	var outputs []ceilings.Output
	var notRead []NotRead
	perInput := map[*input]int{}
	for _, p := range pieces {
		if p.Format != nil && p.Format.IsRead() {
			perInput[p.in]++
		}
	}
	for _, p := range pieces {
		switch {
		case p.IsHost:
			hosts = append(hosts, p)
		case p.Format != nil && p.Format.IsRead():
			name := p.in.name
			if perInput[p.in] > 1 {
				name = p.at()
			}
			outputs = append(outputs, ceilings.Output{Tool: p.Format.Reader, Name: name, Text: p.Text,
				Command: p.Command, MTU: p.in.mtu})
		default:
			notRead = append(notRead, p.notRead())
		}
	}
	w, unread := world(hosts)
	notRead = append(notRead, unread...)
	if !f.HasCeiling() && len(outputs) > 0 {
		linkOf(e, f, w)
	}
	all, failed, err := ceilings.ReadClaims(e, f, outputs)
	if err != nil {
		return err
	}
	found := check.Result{}
	if len(w.Hosts) > 0 {
		found = check.Run(checks.All(), w, check.Choice{})
	}
	if err := printed(e, f, all, w, found, notRead); err != nil {
		return err
	}
	return outcome(all, failed, w, found, pieces, inputs)
}

// notRead describes a piece without a parser.
func (p piece) notRead() NotRead {
	n := NotRead{Input: p.in.name, From: p.From, To: p.To, First: shortened(p.FirstLine())}
	switch {
	case p.Format != nil:
		n.Why = fmt.Sprintf("this is output of %s; linerate does not read its values yet", p.Format.Name)
	case p.Command != "":
		n.Why = fmt.Sprintf("linerate does not read the output of %q", shortened(p.Command))
	default:
		n.Why = "not recognised"
	}
	return n
}

// shortened limits a line of an input in a message.
func shortened(line string) string {
	line = cli.Clean(strings.Join(strings.Fields(line), " "))
	if r := []rune(line); len(r) > 60 {
		return string(r[:60]) + "..."
	}
	return line
}

// world makes facts of the outputs of hosts' commands.
func world(pieces []piece) (*check.World, []NotRead) {
	w := &check.World{}
	var names []string
	of := map[string][]piece{}
	for _, p := range pieces {
		if of[p.Host] == nil {
			names = append(names, p.Host)
		}
		of[p.Host] = append(of[p.Host], p)
	}
	var notRead []NotRead
	for _, host := range names {
		files, order := map[string][]byte{}, []string{}
		from := map[string]piece{}
		for i, p := range of[host] {
			// The name has no word of a command, so that the text alone is recognised.
			name := fmt.Sprintf("%d", i+1)
			text := p.Text
			if p.Command != "" && read.IsSource(p.Command) {
				text = "$ " + p.Command + "\n" + text
			}
			files[name], from[name] = []byte(text), p
			order = append(order, name)
		}
		snapshot, unread := read.FromKept(host, files, order)
		for _, u := range unread {
			n := from[nameOf(order, u.Subject)].notRead()
			n.Why = u.Reason
			notRead = append(notRead, n)
		}
		got, err := read.Parse(snapshot)
		if err != nil {
			continue // none of its pieces was read
		}
		name := host
		if name == "" {
			name = got.Host
		}
		if name == "" {
			name = "this host"
		}
		w.Add(name, got)
	}
	return w, notRead
}

// nameOf returns the name that a text begins with.
func nameOf(names []string, text string) string {
	return xslices.First(names, func(name string) bool { return text == name || strings.HasPrefix(text, name+":") })
}

// linkOf takes the link's rate and its MTU from the facts of hosts, if these have one rate alone.
func linkOf(e *cli.Env, f *ceilings.ClaimFlags, w *check.World) {
	var rates []unit.BitRate
	var mtus []int
	for _, h := range w.Hosts {
		for _, nic := range h.Facts.NICs {
			rate, ok := nic.Speed.Get()
			if !ok || rate <= 0 || !nic.Carrier.Or(true) {
				continue
			}
			if !slices.Contains(rates, rate) {
				rates = append(rates, rate)
			}
			if nic.MTU > 0 && !slices.Contains(mtus, nic.MTU) {
				mtus = append(mtus, nic.MTU)
			}
		}
	}
	if len(rates) != 1 {
		return
	}
	mtu, text := 0, fmt.Sprintf("note: link speed %v, as the interface in the text says", rates[0])
	if len(mtus) == 1 {
		mtu = mtus[0]
		text += fmt.Sprintf("; MTU %d", mtu)
	}
	f.SetLink(rates[0], mtu)
	fmt.Fprintln(e.Err, text)
}

// printed prints the answers, then what was not read.
func printed(e *cli.Env, f *ceilings.ClaimFlags, all []*figures.Claim, w *check.World, found check.Result,
	notRead []NotRead) error {
	var answered []*figures.Claim
	for _, c := range all {
		if unknown, _ := c.NeedsCeiling(); unknown == "" || c.IsExplained() {
			answered = append(answered, c)
		}
	}
	if f.AsJSON {
		r := Result{Figures: append([]*figures.Claim{}, all...), Findings: append([]record.Finding{}, found.Findings...),
			NotRead: append([]NotRead{}, notRead...)}
		return e.PrintObject("explain", r)
	}
	ceilings.PrintClaims(e, answered)
	if len(w.Hosts) > 0 {
		if len(answered) > 0 {
			fmt.Fprintln(e.Out)
		}
		var names []string
		for _, h := range w.Hosts {
			names = append(names, h.Name)
		}
		of := report.Checked{What: strings.Join(names, ", "), Machines: len(w.Hosts), Asked: checks.All()}
		if err := report.PrintCheck(e.Terminal(), of, found); err != nil {
			return err
		}
	}
	for _, n := range notRead {
		fmt.Fprintln(e.Err, "note: "+n.at()+": "+n.Why+": "+n.First)
	}
	return nil
}

func (n NotRead) at() string {
	return piece{paste.Part{From: n.From, To: n.To}, &input{name: n.Input}}.at()
}

// outcome is the error of what could not be explained.
func outcome(all []*figures.Claim, failed []error, w *check.World, found check.Result, pieces []piece,
	inputs []input) error {
	var wrong cli.Errors
	for _, err := range failed {
		wrong.Add(&cli.Advice{Text: err.Error()})
	}
	needs := map[string]bool{}
	for _, c := range all {
		unknown, flag := c.NeedsCeiling()
		if unknown != "" && !c.IsExplained() && !needs[unknown] {
			needs[unknown] = true
			wrong.Add(&cli.Advice{ID: diag.LinkUnknown, Text: unknown, Help: []string{flag},
				Note: []string{fmt.Sprintf("%s: %s", cli.Clean(c.Name), c.Verdict.Sentence)}})
		}
	}
	if len(all) == 0 && len(failed) == 0 && len(w.Hosts) == 0 && len(inputs) > 0 {
		wrong.Add(nothing(pieces, inputs))
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	if found.Worst() == record.Error {
		return cli.Fail(cli.ExitMissed, nil)
	}
	return nil
}

// nothing is the error of inputs of which nothing is read.
func nothing(pieces []piece, inputs []input) error {
	var help []string
	for _, p := range pieces {
		if p.Format == nil {
			continue
		}
		text := fmt.Sprintf("this is output of %s; linerate does not read its values yet", p.Format.Name)
		if p.Format.Instead != "" {
			help = append(help, p.Format.Instead)
		}
		help = append(help, "linerate explain --value 9.4G --link 10G explains a rate that you read in it")
		return &cli.Advice{ID: diag.NotRecognised, Text: text, Help: help}
	}
	var names []string
	for _, in := range inputs {
		names = append(names, cli.Clean(in.name))
	}
	return &cli.Advice{ID: diag.NotRecognised, Text: strings.Join(names, ", ") + ": nothing was recognised",
		Help: []string{"add --tool " + strings.Join(paste.ReadNames(), ", ") + " if it is the output of one of them",
			"linerate explain --value 9.4G --link 10G explains a single rate"}}
}
