package summary

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"linerate/internal/base/xslices"
	"strconv"
	"strings"
	"unicode"
)

// form writes the summaries of a set.
type form struct {
	name, what string
	write      func(Set) (string, error)
}

// forms are the table of --format.
var forms = []form{
	{"text", "plain text, as it is posted", plainForm},
	{"markdown", "tables, with the text below them", markdownForm},
	{"bbcode", "a block of code for forums", bbcodeForm},
	{"csv", "a line a row, in base units", csvForm},
	{"json", "one object (" + Schema + ")", jsonForm},
}

// Forms returns the names of the forms of Write, with a description of each.
func Forms() (names []string, what map[string]string) {
	what = map[string]string{}
	for _, f := range forms {
		names = append(names, f.name)
		what[f.name] = f.what
	}
	return names, what
}

// Write returns summaries in a form by its name.
func Write(s Set, name string) (string, error) {
	if s.Summaries == nil {
		s.Summaries = []*Summary{}
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
	return "", fmt.Errorf("%.60q is not a form of a summary; write one of %s", name, strings.Join(names, ", "))
}

func each(s Set, write func(*Summary) string) (string, error) {
	all := xslices.Map(s.Summaries, write)
	return strings.Join(all, "\n"), nil
}

func plainForm(s Set) (string, error) { return each(s, (*Summary).Text) }

func bbcodeForm(s Set) (string, error) {
	return each(s, func(c *Summary) string { return "[code]\n" + c.Text() + "[/code]\n" })
}

// markdownForm writes the result, a table for each part of a summary, and below them, folded, the summary as text,
// which
// can be read back.
func markdownForm(s Set) (string, error) { return each(s, (*Summary).markdown) }

func (c *Summary) markdown() string {
	var b strings.Builder
	for i, s := range c.Result() {
		text := markdown(s)
		if i == 0 {
			text = "**" + text + "**"
		}
		b.WriteString(text + "\n\n")
	}
	for _, e := range c.Ends {
		fmt.Fprintf(&b, "- **%s** %s\n", markdown(orNotKnown(e.Host)), markdown(e.text()))
	}
	for _, t := range c.tables() {
		fmt.Fprintf(&b, "\n| %s | %s |\n|---|%s\n", markdown(t.title), strings.Join(t.headers, " | "),
			strings.Repeat("---:|", len(t.headers)))
		for _, row := range t.rows {
			b.WriteString("| " + strings.Join(append([]string{markdown(row[0])}, row[1:]...), " | "))
			b.WriteString(" |\n")
		}
	}
	fmt.Fprintf(&b, "\n%s\n", markdown(c.origin()))
	fmt.Fprintf(&b, "\n<details><summary>as text, with the line that linerate compare reads</summary>\n\n"+
		"```text\n%s```\n\n</details>\n", c.Text())
	return b.String()
}

// markdown escapes a text for Markdown and HTML. Letters of any script stay.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range tidy(s, longText) {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>' && b.Len() > 0:
			b.WriteRune(r) // it quotes only at the beginning of a line
		case r == '@' || r == '#': // mentions of people and of issues
			fmt.Fprintf(&b, "&#%d;", r)
		case strings.ContainsRune("\\`*_{}[]()|~!$>", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	// Addresses would become links.
	return strings.ReplaceAll(b.String(), "://", "&#58;//")
}

// csvHeaders are the columns of CSV, which has a line for each row of a summary, in base units; empty is not known.
var csvHeaders = func() []string {
	out := []string{"summary", "version", "date", "run", "variant", "lab", "a", "b", "storage", "over", "asked_by", "row",
		"measured"}
	for _, f := range figures {
		out = append(out, f.csv)
	}
	return out
}()

func csvForm(s Set) (string, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	all := [][]string{csvHeaders}
	for _, c := range s.Summaries {
		hosts := make([]string, 2)
		for i, e := range c.Ends {
			hosts[i] = e.Host
		}
		add := func(of Storage, rows []Row) {
			for _, r := range rows {
				if !r.Measured {
					continue
				}
				record := []string{strconv.Itoa(Version), c.Program, c.Date, c.Run, c.Variant, c.Lab, hosts[0], hosts[1], of.Name,
					of.Over, of.AskedBy, r.Key, strconv.FormatBool(r.Measured)}
				for _, f := range figures {
					v := *f.of(&r)
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

// harmless returns a field that a spreadsheet does not interpret as a formula: with an apostrophe before a first
// character that starts one, as OWASP advises.
func harmless(s string) string {
	s = tidy(s, longText)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

func jsonForm(s Set) (string, error) {
	all := []*Summary{}
	for _, c := range s.Summaries {
		all = append(all, c.finite())
	}
	s.Summaries = all
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return "", fmt.Errorf("cannot write the summary as JSON: %w", err)
	}
	// Characters that JSON allows and that control a terminal are escaped.
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

// finite returns a summary without figures that JSON cannot represent.
func (c *Summary) finite() *Summary {
	out := *c
	rows := func(all []Row) []Row {
		done := []Row{}
		for _, r := range all {
			for _, f := range figures {
				if v := f.of(&r); !known(*v, mostRate) {
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
