package facts

import (
	"bytes"
	"path"
	"strings"
)

// Recognise says of which source a file is that somebody kept by hand: by its name ("lspci-vvv.txt", "nft list ruleset.log"),
// else by its content. ok is false where neither tells.
func Recognise(file string, text []byte) (source string, ok bool) {
	name := path.Base(strings.ReplaceAll(file, `\`, "/"))
	for _, end := range []string{".txt", ".log", ".out", ".json", ".xml"} {
		name = strings.TrimSuffix(name, end)
	}
	name, _, _ = strings.Cut(name, "--")
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' || r == ' ' || r == '.' })
	table := sources()
	for _, k := range table {
		n := len(k.words)
		if n > 0 && len(words) >= n && strings.Join(words[:n], " ") == strings.Join(k.words, " ") && (k.name != "lspci" || devicesOfLspci(words[n:])) &&
			(k.os == "" || k.looks == nil || k.looks.Match(text)) {
			return k.name, true
		}
	}
	head := text[:min(len(text), 64<<10)]
	for _, k := range table {
		if k.looks != nil && k.looks.Match(head) {
			return k.name, true
		}
	}
	return "", false
}

// FromKept makes a capture of files that were kept by hand, each with its name: one output, or a pasted terminal session, which is
// taken apart at its prompts. Those that are not recognised are returned with the reason. UTF-16 is read (see decoded).
func FromKept(host string, files map[string][]byte, order []string) (capture []byte, notRead []Unknown) {
	a := archive{Comment: "host " + host}
	for _, name := range order {
		text, err := decoded(files[name])
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
			continue
		}
		source, ok := Recognise(name, text)
		if !ok {
			notRead = append(notRead, Unknown{name, "neither its name nor its content says which command it is of; name it after the command, as lspci-vvv.txt"})
			continue
		}
		a.Files = append(a.Files, file{source, text})
	}
	return a.bytes(), notRead
}
