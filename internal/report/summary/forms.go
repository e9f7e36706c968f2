package summary

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// form writes the cards of a set.
type form struct {
	name, what string
	write      func(Set) (string, error)
}

// forms are the table of --as.
var forms = []form{
	{"text", "plain text, as it is posted", plainForm},
	{"markdown", "a table, with the card below it", markdownForm},
	{"bbcode", "a block of code for forums", bbcodeForm},
	{"csv", "a line a row, in base units", csvForm},
	{"json", "one object (" + Schema + ")", jsonForm},
}

// Forms are the names of the forms that Write knows, with what each is.
func Forms() (names []string, what map[string]string) {
	what = map[string]string{}
	for _, f := range forms {
		names = append(names, f.name)
		what[f.name] = f.what
	}
	return names, what
}

// Write gives cards in a form by its name.
func Write(s Set, name string) (string, error) {
	if s.Cards == nil {
		s.Cards = []*Card{}
	}
	if s.Others == nil {
		s.Others = []string{}
	}
	s.Schema = Schema
	names, _ := Forms()
	for _, f := range forms {
		if f.name == name {
			return f.write(s)
		}
	}
	return "", fmt.Errorf("%.60q is no form of a card; those are %s", name, strings.Join(names, ", "))
}

func each(s Set, write func(*Card) string) (string, error) {
	var all []string
	for _, c := range s.Cards {
		all = append(all, write(c))
	}
	return strings.Join(all, "\n"), nil
}

func plainForm(s Set) (string, error) { return each(s, (*Card).Text) }

func bbcodeForm(s Set) (string, error) {
	return each(s, func(c *Card) string { return "[code]\n" + c.Text() + "[/code]\n" })
}

// markdownForm is a table for each part of a card, and below it the card itself, folded, which has the facts and is read back.
func markdownForm(s Set) (string, error) { return each(s, (*Card).markdown) }

func (c *Card) markdown() string {
	var b strings.Builder
	title := make([]string, len(c.Ends))
	for i, e := range c.Ends {
		title[i] = fmt.Sprintf("%c = %s", 'A'+i, markdown(e.Host))
	}
	fmt.Fprintf(&b, "**%s** (linerate card, run %s)\n\n", strings.Join(title, ", "), markdown(word(c.Run, 12)))
	if c.Lab != "" {
		fmt.Fprintf(&b, "Lab: %s\n\n", markdown(c.Lab+labTail))
	}
	fmt.Fprintf(&b, "Verdict: %s\n", markdown(orNotKnown(c.Verdict)))
	rule := func(name string, heads []string) {
		fmt.Fprintf(&b, "\n| %s | %s |\n|---|%s\n", name, strings.Join(heads, " | "), strings.Repeat("---:|", len(heads)))
	}
	for _, s := range sections {
		began := false
		heads := s.heads
		if s.kind == delayRow {
			heads = []string{"p50", "p99", "p99.9", "cores A", "cores B"}
		}
		for _, x := range table {
			row := c.Row(x.key)
			if !s.has(x) || row == nil {
				continue
			}
			if !began {
				rule(strings.Trim(s.name, "[]"), heads)
				began = true
			}
			cells := row.cells(x.kind)
			if x.kind == delayRow && row.Measured {
				cells = append(cells[:3:3], cells[4:]...)
			}
			markdownRow(&b, Label(x.key), cells, len(heads))
		}
	}
	for _, s := range c.Storage {
		rule(markdown(orNotKnown(s.Name)), blockHeads)
		for i := range s.Rows {
			markdownRow(&b, Label(s.Rows[i].Key), s.Rows[i].cells(blockRow), len(blockHeads))
		}
	}
	fmt.Fprintf(&b, "\n<details><summary>The card, with the facts and the units</summary>\n\n```text\n%s```\n\n</details>\n", c.Text())
	return b.String()
}

func markdownRow(b *strings.Builder, label string, cells []string, n int) {
	for len(cells) < n {
		cells = append(cells, "")
	}
	fmt.Fprintf(b, "| %s", markdown(label))
	for _, c := range cells {
		fmt.Fprintf(b, " | %s", strings.TrimSpace(c))
	}
	b.WriteString(" |\n")
}

// markdown is a text in which nothing is a mark of Markdown or HTML. Letters of any script stay.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range tidy(s, longText) {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '@' || r == '#': // mentions of people and of issues
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]()|~!$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	// An address becomes a link by itself.
	return strings.ReplaceAll(b.String(), "://", "&#58;//")
}

// csvHeads are the columns of CSV: a row of a card a line, in base units; empty is not known.
var csvHeads = []string{"card", "version", "date", "run", "variant", "lab", "a", "b", "storage", "over", "asked_by", "row", "measured", "goodput_bps", "bytes_per_second", "iops", "mean_seconds", "ceiling_bps", "share_of_ceiling",
	"p50_seconds", "p99_seconds", "p999_seconds", "load_bps", "cores_a", "cores_b"}

func csvForm(s Set) (string, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	all := [][]string{csvHeads}
	for _, c := range s.Cards {
		hosts := make([]string, 2)
		for i, e := range c.Ends {
			hosts[i] = e.Host
		}
		add := func(of Storage, rows []Row) {
			for _, r := range rows {
				record := []string{strconv.Itoa(Version), c.Program, c.Date, c.Run, c.Variant, c.Lab, hosts[0], hosts[1], of.Name, of.Over, of.AskedBy, r.Key, strconv.FormatBool(r.Measured)}
				for _, v := range []*float64{r.Goodput, r.BytesPerSecond, r.IOPS, r.Mean, r.Ceiling, r.Share, r.P50, r.P99, r.P999, r.Load, r.CoresA, r.CoresB} {
					text := ""
					if known(v, mostRate) {
						text = strconv.FormatFloat(*v, 'g', -1, 64)
					}
					record = append(record, text)
				}
				all = append(all, record)
			}
		}
		add(Storage{}, c.Rows)
		for _, s := range c.Storage {
			add(s, s.Rows)
		}
	}
	for _, record := range all {
		for i := range record {
			record[i] = harmless(record[i])
		}
	}
	err := w.WriteAll(all)
	return b.String(), err
}

// harmless is a cell that no spreadsheet takes for a formula: an apostrophe before a first character that begins one, as OWASP has it.
func harmless(s string) string {
	s = tidy(s, longText)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

func jsonForm(s Set) (string, error) {
	all := []*Card{}
	for _, c := range s.Cards {
		all = append(all, c.finite())
	}
	s.Cards = all
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return "", fmt.Errorf("card: it cannot be written as JSON: %w", err)
	}
	// Bare in JSON, and able to steer a terminal: the same as escapes.
	var b strings.Builder
	for _, r := range string(text) {
		if r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			if r > 0xffff {
				continue
			}
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String() + "\n", nil
}

// finite is a card without figures that JSON cannot hold.
func (c *Card) finite() *Card {
	out := *c
	rows := func(all []Row) []Row {
		done := []Row{}
		for _, r := range all {
			for _, v := range []**float64{&r.Goodput, &r.BytesPerSecond, &r.IOPS, &r.Mean, &r.Ceiling, &r.Share, &r.P50, &r.P99, &r.P999, &r.Load, &r.CoresA, &r.CoresB} {
				if !known(*v, mostRate) {
					*v = nil
				}
			}
			done = append(done, r)
		}
		return done
	}
	out.Rows = rows(c.Rows)
	out.Storage = []Storage{}
	for _, s := range c.Storage {
		s.Rows = rows(s.Rows)
		out.Storage = append(out.Storage, s)
	}
	return &out
}
