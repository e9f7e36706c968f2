package snapshot

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// Masker masks serial numbers and secrets in snapshots, so that they can be published. A serial number becomes
// masked-XXXXXXXX, which is the same for equal numbers under one Masker and different under others; a secret becomes
// the word masked. Addresses remain, because the checks need them: MAC and IP addresses, GUIDs, names, bus addresses.
//
// It only masks the forms in mask_rules.go: a secret in another form remains.
type Masker struct{ key []byte }

// NewMasker makes a Masker with a random key that is never stored.
func NewMasker() *Masker {
	m := &Masker{key: make([]byte, 32)}
	rand.Read(m.key) // it never fails: crypto/rand ends the program first
	return m
}

// masked replaces a secret, and begins a masked serial number.
const masked = "masked"

// Snapshot masks all sources of a snapshot; its header has neither serial numbers nor secrets.
func (m *Masker) Snapshot(snapshot []byte) []byte {
	a := ParseArchive(snapshot)
	if len(a.Files) == 0 { // a paste without a mark
		return m.Text(snapshot)
	}
	for i := range a.Files {
		a.Files[i].Data = m.Text(a.Files[i].Data)
	}
	return a.Bytes()
}

// Text masks the output of one command, or one file.
func (m *Masker) Text(text []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(text))
	s := &maskState{m: m}
	for line := range bytes.Lines(text) {
		out.Write(s.line(line))
	}
	return out.Bytes()
}

// serial returns the replacement of a serial number.
func (m *Masker) serial(value []byte) []byte {
	h := hmac.New(sha256.New, m.key)
	h.Write(bytes.TrimSpace(value))
	return []byte(masked + "-" + hex.EncodeToString(h.Sum(nil)[:4]))
}

// maskState is the effect of earlier lines on the next.
type maskState struct {
	m       *Masker
	private bool   // inside of a private key
	section string // of a RouterOS export: "/snmp community"
	named   bool   // the next key of JSON is the name of a community
	columns []column
}

func (s *maskState) line(line []byte) []byte {
	lower := bytes.ToLower(line)
	switch {
	case bytes.Contains(lower, []byte("-----begin")) && bytes.Contains(lower, []byte("private key")):
		s.private = true
		return line
	case s.private && bytes.Contains(lower, []byte("-----end")):
		s.private = false
		return line
	case s.private && len(bytes.TrimSpace(line)) > 0:
		return []byte(masked + "\n")
	}
	line = s.community(line, lower)
	line = s.table(line, lower)
	for i := range MaskRules {
		r := &MaskRules[i]
		if r.mentioned(lower) {
			line = r.apply(s.m, line)
		}
	}
	return line
}

var (
	routerosName   = lazyregexp.New(`\bname=("[^"]*"|\S+)`)
	jsonCommunity  = lazyregexp.New(`"([^"]+)"\s*:\s*\{`)
	routerosOfSNMP = lazyregexp.New(`^\s*/snmp[ /]community`)
)

// community masks names of SNMP communities after a line that introduces them: in an export of RouterOS, and in
// config_db.json of SONiC.
func (s *maskState) community(line, lower []byte) []byte {
	if trimmed := bytes.TrimSpace(line); bytes.HasPrefix(trimmed, []byte("/")) {
		s.section = ""
		if routerosOfSNMP.Match(lower) {
			s.section = "/snmp community"
		}
	}
	if s.section != "" {
		line = replaceGroup(routerosName, line, func([]byte) []byte { return []byte(masked) })
	}
	if s.named {
		if loc := jsonCommunity.FindSubmatchIndex(line); loc != nil {
			line = splice(line, loc[2], loc[3], []byte(masked))
		}
		s.named = bytes.IndexByte(line, '}') < 0 || bytes.IndexByte(line, '{') >= 0
		if bytes.Equal(bytes.TrimSpace(line), []byte("},")) {
			s.named = false
		}
	}
	if bytes.Contains(lower, []byte(`"snmp_community"`)) {
		s.named = true
	}
	return line
}

// column is the position of a column in a table's lines.
type column struct{ from, to int }

var columnHead = lazyregexp.New(`(?i)(?:^|\s\s|\s)(serial(?: ?(?:number|num|no\.?))?|s/n|sn)(?:\s|$)`)

// table masks columns under a header with serial numbers, until an empty line. A header has at least two words and no
// colon: "Node   SN   Model", "Module   Part Number   Serial Number".
func (s *maskState) table(line, lower []byte) []byte {
	trimmed := bytes.TrimSpace(line)
	switch {
	case len(trimmed) == 0:
		s.columns = nil
		return line
	case s.columns != nil && !bytes.ContainsAny(trimmed, "0123456789"):
		return line // the rule below the header
	case s.columns != nil:
		for i := len(s.columns) - 1; i >= 0; i-- {
			line = s.m.field(line, s.columns[i])
		}
		return line
	case !bytes.Contains(lower, []byte("serial")) && !bytes.Contains(lower, []byte("sn")) &&
		!bytes.Contains(lower, []byte("s/n")),
		bytes.ContainsAny(trimmed, ":=0123456789\"{"), len(bytes.Fields(trimmed)) < 3:
		return line
	}
	for _, loc := range columnHead.FindAllSubmatchIndex(line, -1) {
		to := len(line)
		// The next column begins after two blanks, or after one if the header is a single word.
		rest := line[loc[3]:]
		if n := len(rest) - len(bytes.TrimLeft(rest, " \t")); len(bytes.TrimSpace(rest)) > 0 {
			to = loc[3] + n
		}
		s.columns = append(s.columns, column{loc[2], to})
	}
	return line
}

// field masks the word in a column; it may begin before the column if that is aligned right.
func (m *Masker) field(line []byte, c column) []byte {
	if c.from >= len(line) {
		return line
	}
	from, to := c.from, min(c.to, len(line))
	for from > 0 && line[from-1] != ' ' && line[from-1] != '\t' && line[from] != ' ' {
		from--
	}
	field := line[from:to]
	word := bytes.TrimSpace(field)
	if !isSerial(word) {
		return line
	}
	at := from + bytes.Index(field, word)
	new := m.serial(word)
	if pad := len(word) - len(new); pad > 0 {
		new = append(new, strings.Repeat(" ", pad)...)
	}
	return splice(line, at, at+len(word), new)
}

// isSerial reports whether a word may be a serial number: it has a digit, at least three characters, and is not masked
// yet.
func isSerial(word []byte) bool {
	return len(word) >= 3 && bytes.ContainsAny(word, "0123456789") && !bytes.HasPrefix(word, []byte(masked))
}

func splice(line []byte, from, to int, new []byte) []byte {
	out := make([]byte, 0, len(line)+len(new))
	return append(append(append(out, line[:from]...), new...), line[to:]...)
}

// replaceGroup replaces the first group of every match, without quotes around it.
func replaceGroup(re *lazyregexp.Regexp, line []byte, by func(value []byte) []byte) []byte {
	all := re.FindAllSubmatchIndex(line, -1)
	for i := len(all) - 1; i >= 0; i-- {
		from, to := all[i][2], all[i][3]
		if from < 0 {
			continue
		}
		if to-from >= 2 && (line[from] == '"' || line[from] == '\'') && line[to-1] == line[from] {
			from, to = from+1, to-1
		}
		if value := line[from:to]; len(bytes.TrimSpace(value)) > 0 {
			if new := by(value); new != nil {
				line = splice(line, from, to, new)
			}
		}
	}
	return line
}
