package read

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/snapshot"
)

// Recognise returns the source of a file that was saved by hand: by its name ("lspci-vvv.txt", "nft list ruleset.log"),
// else by its content. ok is false if neither is known. A * in it is an interface or similar.
func Recognise(file string, text []byte) (source string, ok bool) {
	k, _, ok := recognise(file, text)
	return k.Name, ok
}

// recognise also returns the rest of the file's name after the command: "eth2" of ethtool-S-eth2.txt. A note may follow
// the last -- of the name.
func recognise(file string, text []byte) (k parse.Source, rest string, ok bool) {
	name := keptName(file)
	bare := name
	table := Sources()
	if i := strings.LastIndex(name, "--"); i > 0 {
		bare = name[:i]
		if k, rest, ok := recogniseName(table, name[:i], text); ok {
			return k, rest, true
		}
	}
	if k, rest, ok := recogniseName(table, name, text); ok { // ethtool--show-fec-eth0.txt, where -- belongs to the option
		return k, rest, true
	}
	head := text[:min(len(text), 64<<10)]
	for _, k := range table {
		if k.Looks != nil && (strings.HasSuffix(bare, k.End) || strings.HasSuffix(name, k.End)) && k.Looks.Match(head) {
			return k, "", true
		}
	}
	return parse.Source{}, "", false
}

// recogniseName finds the source whose words a file's name begins with.
func recogniseName(table []parse.Source, name string, text []byte) (k parse.Source, rest string, ok bool) {
	at := wordOfName.FindAllStringIndex(name, -1)
	words := make([]string, len(at))
	for i := range at {
		words[i] = strings.ToLower(name[at[i][0]:at[i][1]])
	}
	for _, k := range table {
		n := len(k.Words)
		if n > 0 && len(words) >= n && strings.Join(words[:n], " ") == strings.Join(k.Words, " ") &&
			(k.Name != "lspci" || devicesOfLspci(words[n:])) &&
			(k.OS == "" || k.Looks == nil || k.Looks.Match(text)) {
			if len(words) > n {
				rest = name[at[n][0]:]
			}
			return k, rest, true
		}
	}
	return parse.Source{}, "", false
}

// keptName returns a saved file's name without its folder and text suffix.
func keptName(file string) string {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	for _, end := range []string{".txt", ".log", ".out", ".json", ".xml"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

var wordOfName = lazyregexp.New(`[^-_ .]+`)

// piecesOf returns a saved file as files of a snapshot: one, or one for each interface if it has outputs of several.
// The bracket in the source's pattern names the interface, else the file's name (rest).
func piecesOf(s parse.Source, rest string, text []byte) []snapshot.File {
	if !strings.Contains(s.Name, "*") {
		return []snapshot.File{{Name: s.Name, Data: text}}
	}
	var out []snapshot.File
	if s.Looks != nil && s.Looks.NumSubexp() > 0 {
		found := s.Looks.FindAllSubmatchIndex(text, -1)
		for i, m := range found {
			from, to := 0, len(text)
			if i > 0 {
				from = m[0]
			}
			if i+1 < len(found) {
				to = found[i+1][0]
			}
			if m[2] >= 0 {
				out = append(out, snapshot.File{Name: filled(s, string(text[m[2]:m[3]])), Data: text[from:to]})
			}
		}
	}
	if out == nil {
		out = []snapshot.File{{Name: filled(s, withoutOptions(rest)), Data: text}}
	}
	return out
}

// filled returns the source's name with the value of its star.
func filled(s parse.Source, subject string) string {
	if subject = strings.Join(strings.FieldsFunc(subject,
		func(r rune) bool { return r == ' ' || r == '/' || r == '\t' }), "-"); subject == "" || subject[0] == '-' {
		subject = parse.UnnamedPort
	}
	return strings.Replace(s.Name, "*", subject, 1)
}

// notSubjects are words of commands in the place of an interface's name: "show" of dcb-pfc-show.txt, "query" of
// mlxconfig-query.txt.
var notSubjects = []string{"show", "dev", "query", "set", "pfc", "ets", "app", "trust", "dscp", "counters", "grep",
	"prio", "port"}

// withoutOptions removes the words and letters of a command from the rest of a file's name: "m-c-p0" is p0, "mlx5_0-c"
// is mlx5_0.
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

// numberUnnamed distinguishes unnamed interfaces: two outputs of one command are of two interfaces.
func numberUnnamed(a snapshot.Archive, pieces []snapshot.File) {
	for i := range pieces {
		if !strings.HasSuffix(pieces[i].Name, " "+parse.UnnamedPort) {
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

// escapes are control sequences of terminals: colours and cursor positions (ECMA-48, 5.4), and a window's title.
var escapes = lazyregexp.New(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[()][0-9A-B]|\x1b[=>]`)

// WithoutColours removes control sequences from files of script(1), and of commands with coloured output.
func WithoutColours(text []byte) []byte {
	if bytes.IndexByte(text, 0x1b) < 0 {
		return text
	}
	return escapes.ReplaceAll(text, nil)
}

// passwordAsked is sudo's prompt for a password, in any language: "[sudo] password for admin:", "[sudo] Passwort für
// admin:".
var passwordAsked = lazyregexp.New(`(?m)^\[sudo\] [^\n]{1,100}:\r?\n`)

// withoutTrailing removes the blanks at the ends of lines that some terminals add when text is copied.
func withoutTrailing(text []byte) []byte {
	if !bytes.Contains(text, []byte(" \n")) && !bytes.Contains(text, []byte("\t\n")) &&
		!bytes.Contains(text, []byte(" \r\n")) {
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

// FromKept makes a snapshot of files that were saved by hand, each with its name: one output, or a pasted terminal
// session, which is split at its prompts. It returns files that it does not recognize with the reason. It reads UTF-16
// (see decoded).
func FromKept(host string, files map[string][]byte, order []string) (raw []byte, notRead []facts.Unknown) {
	a := snapshot.Archive{Comment: "host " + host}
	var from []string // the file of each source
	for _, name := range order {
		text, err := snapshot.Decode(files[name])
		text = passwordAsked.ReplaceAll(withoutTrailing(WithoutColours(text)), nil)
		switch {
		case err != nil:
			notRead = append(notRead, facts.Unknown{Subject: name, Reason: err.Error()})
			continue
		case len(bytes.TrimSpace(text)) == 0:
			notRead = append(notRead, facts.Unknown{Subject: name, Reason: "it is empty"})
			continue
		}
		if files, not, ok := pasted(name, text); ok {
			a.Files, notRead = append(a.Files, files...), append(notRead, not...)
			from = append(from, slices.Repeat([]string{name}, len(files))...)
			continue
		}
		k, rest, ok := recognise(name, text)
		if !ok {
			notRead = append(notRead, facts.Unknown{Subject: name,
				Reason: "neither its name nor its content says which command it is of; name it after the command, as " +
					"lspci-vvv.txt"})
			continue
		}
		if k.OfFile {
			rest = keptName(name)
			k.Looks = nil // the text in brackets is not a name
		}
		pieces := piecesOf(k, rest, text)
		numberUnnamed(a, pieces)
		a.Files, from = append(a.Files, pieces...), append(from, slices.Repeat([]string{name}, len(pieces))...)
	}
	return a.Bytes(), append(notRead, twice(&a, from)...)
}
