package facts

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// Recognise says of which source a file is that somebody kept by hand: by its name ("lspci-vvv.txt", "nft list ruleset.log"),
// else by its content. ok is false where neither tells. A * in it is an interface or the like.
func Recognise(file string, text []byte) (source string, ok bool) {
	k, _, ok := recognise(file, text)
	return k.name, ok
}

// recognise also returns what the file's name has behind the command: "eth2" of ethtool-S-eth2.txt. What stands behind the last
// -- of the name is a note of whoever kept it.
func recognise(file string, text []byte) (k source, rest string, ok bool) {
	name := keptName(file)
	bare := name
	table := sources()
	if i := strings.LastIndex(name, "--"); i > 0 {
		bare = name[:i]
		if k, rest, ok := recogniseName(table, name[:i], text); ok {
			return k, rest, true
		}
	}
	if k, rest, ok := recogniseName(table, name, text); ok { // ethtool--show-fec-eth0.txt, where -- is the option's
		return k, rest, true
	}
	head := text[:min(len(text), 64<<10)]
	for _, k := range table {
		if k.looks != nil && (strings.HasSuffix(bare, k.end) || strings.HasSuffix(name, k.end)) && k.looks.Match(head) {
			return k, "", true
		}
	}
	return source{}, "", false
}

// recogniseName finds the source whose words a file's name begins with.
func recogniseName(table []source, name string, text []byte) (k source, rest string, ok bool) {
	at := wordOfName.FindAllStringIndex(name, -1)
	words := make([]string, len(at))
	for i := range at {
		words[i] = strings.ToLower(name[at[i][0]:at[i][1]])
	}
	for _, k := range table {
		n := len(k.words)
		if n > 0 && len(words) >= n && strings.Join(words[:n], " ") == strings.Join(k.words, " ") && (k.name != "lspci" || devicesOfLspci(words[n:])) &&
			(k.os == "" || k.looks == nil || k.looks.Match(text)) {
			if len(words) > n {
				rest = name[at[n][0]:]
			}
			return k, rest, true
		}
	}
	return source{}, "", false
}

// keptName is a kept file's name without its folder and what says that it is text.
func keptName(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	for _, end := range []string{".txt", ".log", ".out", ".json", ".xml"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

var wordOfName = lazyregexp.New(`[^-_ .]+`)

// pieces are a kept file as files of a capture: one, or one for each interface where it has the outputs of several. An interface
// is named by what the source's pattern has in brackets, else by the file's name (rest).
func (s source) pieces(rest string, text []byte) []file {
	if !strings.Contains(s.name, "*") {
		return []file{{s.name, text}}
	}
	var out []file
	if s.looks != nil && s.looks.NumSubexp() > 0 {
		found := s.looks.FindAllSubmatchIndex(text, -1)
		for i, m := range found {
			from, to := 0, len(text)
			if i > 0 {
				from = m[0]
			}
			if i+1 < len(found) {
				to = found[i+1][0]
			}
			if m[2] >= 0 {
				out = append(out, file{s.filled(string(text[m[2]:m[3]])), text[from:to]})
			}
		}
	}
	if out == nil {
		out = []file{{s.filled(withoutOptions(rest)), text}}
	}
	return out
}

// filled is the source's name with what its star stands for.
func (s source) filled(subject string) string {
	if subject = strings.Join(strings.FieldsFunc(subject, func(r rune) bool { return r == ' ' || r == '/' || r == '\t' }), "-"); subject == "" || subject[0] == '-' {
		subject = unnamedPort
	}
	return strings.Replace(s.name, "*", subject, 1)
}

// notSubjects are words of commands that stand where an interface's name would: "show" of dcb-pfc-show.txt, "query" of mlxconfig-query.txt.
var notSubjects = []string{"show", "dev", "query", "set", "pfc", "ets", "app", "trust", "dscp", "counters", "grep", "prio", "port"}

// withoutOptions takes the words and letters of a command from what a file's name has behind it: "m-c-p0" is p0, "mlx5_0-c" is mlx5_0.
func withoutOptions(rest string) string {
	words := strings.FieldsFunc(rest, func(r rune) bool { return r == '-' || r == ' ' })
	option := func(w string) bool { return len(w) == 1 || slices.Contains(notSubjects, strings.ToLower(w)) }
	for len(words) > 0 && option(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && option(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, "-")
}

// numberUnnamed keeps apart what files say of interfaces that neither they nor their names name: two outputs of one command are of two.
func (a archive) numberUnnamed(pieces []file) {
	for i := range pieces {
		if !strings.HasSuffix(pieces[i].Name, " "+unnamedPort) {
			continue
		}
		n := 1
		for _, f := range a.Files {
			if strings.HasPrefix(f.Name, pieces[i].Name) && !bytes.Equal(f.Data, pieces[i].Data) {
				n++
			}
		}
		if n > 1 {
			pieces[i].Name += strconv.Itoa(n)
		}
	}
}

// escapes are what a terminal is told beside the text: colours and the place of the cursor (ECMA-48, 5.4), and a window's title.
var escapes = lazyregexp.New(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[()][0-9A-B]|\x1b[=>]`)

// withoutColours takes out what a terminal was told beside the text: files of script(1), and of commands that colour their output.
func withoutColours(text []byte) []byte {
	if bytes.IndexByte(text, 0x1b) < 0 {
		return text
	}
	return escapes.ReplaceAll(text, nil)
}

// passwordAsked is the line in which sudo asks for a password, in any language: "[sudo] password for admin:", "[sudo] Passwort für admin:".
var passwordAsked = lazyregexp.New(`(?m)^\[sudo\] [^\n]{1,100}:\r?\n`)

// withoutTrailing takes the blanks from the ends of lines, which copying out of some terminals leaves there.
func withoutTrailing(text []byte) []byte {
	if !bytes.Contains(text, []byte(" \n")) && !bytes.Contains(text, []byte("\t\n")) && !bytes.Contains(text, []byte(" \r\n")) {
		return text
	}
	out := make([]byte, 0, len(text))
	for line := range bytes.Lines(text) {
		bare := bytes.TrimRight(line, "\r\n")
		out = append(out, bytes.TrimRight(bare, " \t")...)
		out = append(out, line[len(bare):]...)
	}
	return out
}

// FromKept makes a capture of files that were kept by hand, each with its name: one output, or a pasted terminal session, which is
// taken apart at its prompts. Those that are not recognised are returned with the reason. UTF-16 is read (see decoded).
func FromKept(host string, files map[string][]byte, order []string) (capture []byte, notRead []Unknown) {
	a := archive{Comment: "host " + host}
	var from []string // the file of each source
	for _, name := range order {
		text, err := decoded(files[name])
		text = passwordAsked.ReplaceAll(withoutTrailing(withoutColours(text)), nil)
		switch {
		case err != nil:
			notRead = append(notRead, Unknown{name, err.Error()})
			continue
		case len(bytes.TrimSpace(text)) == 0:
			notRead = append(notRead, Unknown{name, "it is empty"})
			continue
		}
		if files, not, ok := pasted(name, text); ok {
			a.Files, notRead = append(a.Files, files...), append(notRead, not...)
			from = append(from, slices.Repeat([]string{name}, len(files))...)
			continue
		}
		k, rest, ok := recognise(name, text)
		if !ok {
			notRead = append(notRead, Unknown{name, "neither its name nor its content says which command it is of; name it after the command, as lspci-vvv.txt"})
			continue
		}
		if k.ofFile {
			rest = keptName(name)
			k.looks = nil // what it has in brackets is no name
		}
		pieces := k.pieces(rest, text)
		a.numberUnnamed(pieces)
		a.Files, from = append(a.Files, pieces...), append(from, slices.Repeat([]string{name}, len(pieces))...)
	}
	return a.bytes(), append(notRead, a.twice(from)...)
}
