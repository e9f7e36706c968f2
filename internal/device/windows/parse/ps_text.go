package parse

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// psPrompt is a command line of a transcript: "PS C:\> Get-NetAdapter", "[Host3]: PS C:\Users> ..".
var psPrompt = lazyregexp.New(`^\s*(?:\[[^\]]*\]:\s*)?PS(?: [^>]*)?>+\s?(.*)$`)

// psRule is the line of dashes below the labels of a table.
var psRule = lazyregexp.New(`^\s*-+(\s+-+)*\s*$`)

// parsePS reads output of PowerShell: tables, lists and JSON, of one command or of a session with its prompts. It
// ignores anything else.
func parsePS(text string) []psObject {
	var out []psObject
	command := ""
	var block []string
	flush := func() {
		for _, o := range psBlock(block) {
			o.command = cmp.Or(o.command, command)
			out = append(out, o)
		}
		block = nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if m := psPrompt.FindStringSubmatch(line); m != nil {
			flush()
			command = psCommand(m[1])
			continue
		}
		block = append(block, line)
	}
	flush()
	return out
}

// psCmdlet matches the name of a cmdlet that gets something.
var psCmdlet = lazyregexp.New(`(?i)\bGet-[A-Za-z0-9]+`)

// psCommand returns the cmdlet whose objects a command line prints: the last one of its pipe.
func psCommand(line string) string {
	line, _, _ = strings.Cut(line, " #")
	all := psCmdlet.FindAllString(line, -1)
	if len(all) == 0 {
		return strings.TrimSpace(line)
	}
	return all[len(all)-1]
}

// psBlock reads the output of one command: JSON, or tables and lists.
func psBlock(lines []string) []psObject {
	text := strings.TrimSpace(strings.Join(lines, "\n"))
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
		if objects, err := parsePSJSON([]byte(text)); err == nil {
			return objects
		}
	}
	var out []psObject
	for i := 0; i < len(lines); {
		if n := psTableHead(lines[i:]); n > 0 {
			rows, used := psTable(lines[i : i+n+1])
			end := i + n + 1
			for end < len(lines) && lines[end] != "" && !psRule.MatchString(lines[end]) && psTableHead(lines[end:]) == 0 {
				end++
			}
			if used {
				out = append(out, rows(lines[i+n+1:end])...)
			}
			i = end
			continue
		}
		end := i
		for end < len(lines) && psTableHead(lines[end:]) == 0 {
			end++
		}
		out = append(out, psList(lines[i:end])...)
		i = max(end, i+1)
	}
	return out
}

// psTableHead returns how many lines of labels are above a line of dashes; 0: no table begins. A line of dashes below
// "Name : value" belongs to the value.
func psTableHead(lines []string) int {
	for n := 0; n < min(len(lines), 5); n++ {
		start := strings.TrimLeft(lines[n], " \t")
		switch {
		case start == "":
			return 0
		case start[0] == '-' && psRule.MatchString(start):
			return n
		case n == 4, strings.IndexByte(start, ':') >= 0 && psPair.MatchString(lines[n]):
			return 0
		}
	}
	return 0
}

// span is the position of a column's dashes, in characters.
type span struct{ from, to int }

// psTable reads the labels; rows reads the lines below. ok is false if labels and dashes do not match.
func psTable(head []string) (rows func(lines []string) []psObject, ok bool) {
	rule := []rune(head[len(head)-1])
	var columns []span
	for i := 0; i < len(rule); i++ {
		if rule[i] != '-' {
			continue
		}
		from := i
		for i < len(rule) && rule[i] == '-' {
			i++
		}
		columns = append(columns, span{from, i})
	}
	names := make([]string, len(columns))
	for _, line := range head[:len(head)-1] {
		for i, field := range psFields(line, columns) {
			names[i] = strings.TrimSpace(names[i] + " " + field)
		}
	}
	if slices.Contains(names, "") {
		return nil, false
	}
	return func(lines []string) (out []psObject) {
		for _, line := range lines {
			fields := psFields(line, columns)
			// Wrapped text continues below, with nothing in the first column.
			if fields[0] == "" && len(out) > 0 {
				last := &out[len(out)-1]
				for i, field := range fields {
					if field != "" {
						last.props[i].cut = true
					}
				}
				continue
			}
			o := psObject{row: strings.TrimSpace(line)}
			for i, field := range fields {
				o.props = append(o.props, psProp{key: psKey(names[i]), name: names[i], value: field, cut: psCut(field)})
			}
			out = append(out, o)
		}
		return out
	}, true
}

// psCut reports whether PowerShell truncated a text.
func psCut(s string) bool { return strings.Contains(s, "...") || strings.Contains(s, "…") }

var apart = lazyregexp.New(`\s{2,}`)

// psFields splits a line of a table. PowerShell aligns texts left and numbers right, below labels that may be shorter:
// two columns are separated at the widest run of blanks between their dashes. If that does not fit, as in a table that
// was retyped, columns are two blanks apart.
func psFields(line string, columns []span) []string {
	text := []rune(strings.TrimRight(line, " \t"))
	fields := make([]string, len(columns))
	from, fits := 0, true
	for i, c := range columns {
		to := len(text)
		if i+1 < len(columns) {
			to = parting(text, max(c.to, from), columns[i+1].from)
		}
		lo, hi := min(from, len(text)), min(to, len(text))
		fields[i] = strings.TrimSpace(string(text[lo:max(lo, hi)]))
		if fields[i] != "" {
			for lo < hi && text[lo] == ' ' {
				lo++
			}
			for hi > lo && text[hi-1] == ' ' {
				hi--
			}
			fits = fits && lo < c.to && hi > c.from && !apart.MatchString(fields[i])
		}
		if hi < len(text) && hi > 0 && text[hi] != ' ' && text[hi-1] != ' ' {
			fits = false // through a word
		}
		from = to
	}
	if words := apart.Split(strings.TrimSpace(line), -1); !fits && len(words) == len(columns) {
		return words
	}
	return fields
}

// parting returns where two columns separate: after the widest run of blanks between the dashes of both, the last one
// of equals.
func parting(text []rune, from, to int) int {
	best, width := to, 0
	for i := from; i < min(to, len(text)); {
		if text[i] != ' ' {
			i++
			continue
		}
		j := i
		for j < len(text) && text[j] == ' ' {
			j++
		}
		if j-i >= width {
			best, width = min(j, to), j-i
		}
		i = j
	}
	return best
}

// Limits of the bytes of a value with several lines, and of an object's properties.
const (
	longestValue = 16 << 10
	mostProps    = 200
)

// psPair matches a line "Name : value"; the name may contain colons ("BaseProcessor: [Group:Number]  : 0:0").
var psPair = lazyregexp.New(`^[^\s:-][^\t]*?:(?:\s|$)`)

// pair splits such a line at the first colon after a blank, else at the first one before a blank or the end.
func pair(line string) (name, value string, ok bool) {
	for _, sep := range []string{" : ", " :\x00", ": ", ":\x00"} {
		if before, after, found := strings.Cut(line+"\x00", sep); found && strings.TrimSpace(before) != "" {
			return strings.TrimSpace(before), strings.TrimSpace(strings.TrimSuffix(after, "\x00")), true
		}
	}
	return "", "", false
}

// psList reads lists. An object ends where a name repeats; lines below a value, indented or not, continue it.
func psList(lines []string) []psObject {
	var out []psObject
	fresh := true // nothing was read yet, or only text that is not a list
	for _, line := range lines {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := "", "", false
		if line[0] != ' ' && line[0] != '\t' || fresh {
			name, value, ok = pair(line)
		}
		if !ok || len(name) > 60 {
			if len(out) > 0 {
				o := &out[len(out)-1]
				p := &o.props[len(o.props)-1]
				if len(p.value) < longestValue {
					p.value = strings.TrimSpace(p.value + "\n" + strings.TrimSpace(line))
				}
			}
			continue
		}
		if !fresh && len(out[len(out)-1].props) >= mostProps {
			continue // of another system: no object has so many
		}
		p := psProp{key: psKey(name), name: name, value: value, line: strings.TrimSpace(line), cut: psCut(value)}
		if fresh || slices.ContainsFunc(out[len(out)-1].props, func(q psProp) bool { return q.key == p.key }) {
			out, fresh = append(out, psObject{}), false
		}
		o := &out[len(out)-1]
		o.props = append(o.props, p)
	}
	return out
}
