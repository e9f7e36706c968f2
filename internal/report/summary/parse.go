package summary

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Parse reads the first summary of a text, see ParseAll. If there is none, it returns nil and a problem.
func Parse(text string) (*Summary, Problems) {
	all, problems := ParseAll(text)
	if len(all) == 0 {
		return nil, problems
	}
	return all[0], problems
}

// The largest number of summaries that are kept, and of bytes that one has.
const (
	mostSummaries = 200
	mostBytes     = 1 << 20
)

// ParseAll reads the lines of data of the summaries in a pasted text: quoted, wrapped, indented, in fences or tags,
// with blanks lost or replaced; or summaries as JSON. All problems are reported together.
func ParseAll(text string) (out []*Summary, problems Problems) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return parseJSON(text)
	}
	text = ordinary(text)
	starts := dataLine.FindAllStringIndex(text, -1)
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		end = min(end, at[0]+mostBytes)
		line := strings.Count(text[:at[0]], "\n") + 1
		c, wrong := readBlock(compact(text[at[0]:end]), line)
		problems = append(problems, wrong...)
		if c != nil && len(out) < mostSummaries {
			out = append(out, c)
		}
	}
	if len(out) > 0 || len(problems) > 0 {
		return out, problems
	}
	what, next := "there is no summary in it", "copy all of a summary, with its last line: linerate-data 2; ..."
	switch {
	case strings.HasPrefix(strings.TrimSpace(text), csvHeaders[0]+","):
		next = "CSV is not read back; use linerate share RUN"
	case oldHead.MatchString(text):
		return nil, Problems{oldForm}
	case originLine.MatchString(text):
		what, next = "the summary has no line that begins with linerate-data", "copy the summary with its last line"
	}
	return nil, Problems{{What: what, Next: next}}
}

var (
	dataForm   = regexp.MustCompile(`^linerate-data(\d{1,9});(.*?;)sum,([0-9a-f]{8})`)
	oldHead    = regexp.MustCompile(`(?m)^[>|*#_ ]*linerate +\S+ +(?:card|summary) +\d{1,9} +\S+ +run `)
	originLine = regexp.MustCompile(`(?m)^[>|*#_ ]*linerate \S+, run \S+, `)
)

// readBlock reads a line of data and what follows it, without white space.
func readBlock(block string, line int) (*Summary, Problems) {
	m := dataForm.FindStringSubmatch(block)
	again := "copy it again, up to the eight digits behind sum; or use linerate share RUN --format json"
	switch {
	case m == nil:
		return nil, Problems{{Line: line, What: "the line of data is cut off", Next: again}}
	case checksum(dataStart+m[1]+";"+m[2]) != m[3]:
		return nil, Problems{{Line: line, What: "the line of data was changed: its sum does not match", Next: again}}
	}
	if v, _ := strconv.Atoi(m[1]); v < Version { // digits
		return nil, Problems{oldForm}
	}
	return readData(m[1], m[2], line)
}

var (
	spaces = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ", "\u00a0", " ", "\u2007", " ", "\u2009", " ",
		"\u200a", " ", "\u202f", " ", "\u3000", " ", "\u2028", "\n", "\u2029", "\n")
	unseen = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u00ad", "")
	twins  = strings.NewReplacer("→", "->", "↔", "<->", "–", "-", "—", "-", "−", "-", "µ", "u", "μ", "u", "…", "..", "‘",
		"'", "’", "'", "•", "*")
	tags = regexp.MustCompile(`(?i)\[/?(?:code|quote|pre|list|size|font|color|b|i|u|spoiler|tt)(?:=[^\]\n]*)?\]|` +
		`</?(?:pre|code|blockquote|p|br|div|span|details|summary|tt)(?: [^>\n]*)?/?>`)
)

// ordinary normalizes spaces, line ends and hyphens, and removes tags.
func ordinary(text string) string {
	text = twins.Replace(unseen.Replace(spaces.Replace(text)))
	if strings.ContainsAny(text, "[<") {
		text = tags.ReplaceAllString(text, "")
	}
	return strings.ToValidUTF8(text, "?")
}

// oldForm is the problem of a text of form 1, whose first line has "card 1", or of an early form 2.
var oldForm = Problem{What: "the summary has an old form, which this version of linerate does not read",
	Next: "print it again with linerate share RUN"}

// order sorts the rows by the table and drops unknown ones. With fill it adds missing rows as not measured, and returns
// their labels.
func (c *Summary) order(fill bool) (missing []string) {
	var rows []Row
	for _, s := range table {
		if row := c.Row(s.key); row != nil {
			rows = append(rows, *row)
		} else if fill && !s.rdma {
			missing, rows = append(missing, Label(s.key)), append(rows, Row{Key: s.key})
		}
	}
	c.Rows = rows
	return missing
}

// Problem is one error of a pasted summary.
type Problem struct {
	Line int    `json:"line"` // of the text, from 1; 0: of all of it
	Text string `json:"text"` // of that line
	What string `json:"what"`
	Next string `json:"next"` // what to do about it
}

func (p Problem) Error() string {
	s := p.What
	if p.Line > 0 {
		s = fmt.Sprintf("line %d: %s", p.Line, s)
	}
	if p.Next != "" {
		s += "; " + p.Next
	}
	if p.Text != "" {
		s += ": " + strconv.QuoteToASCII(shorten(p.Text, 100))
	}
	return s
}

// Problems are all errors of a text, in its order. Compare the length with 0.
type Problems []Problem

func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}
