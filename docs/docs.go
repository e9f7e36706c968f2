// Package docs holds the pages that the program itself quotes.
package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed fabric.md
var fabricPage string

// Key is what a page says of a key.
type Key struct{ Example, What string }

var (
	row     = regexp.MustCompile("^\\| `([a-z_]+)` \\| `(.*?)` \\| (.*) \\|$")
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	section = "\n## "
)

// FabricKeys are the keys of fabric files as docs/fabric.md has them in its tables: by the title of the section, then
// by key.
func FabricKeys() map[string]map[string]Key {
	out := map[string]map[string]Key{}
	for _, part := range strings.Split(fabricPage, section)[1:] {
		title, body, _ := strings.Cut(part, "\n")
		keys := map[string]Key{}
		for _, line := range strings.Split(body, "\n") {
			if m := row.FindStringSubmatch(strings.ReplaceAll(line, `\|`, "\x00")); m != nil {
				keys[m[1]] = Key{bar(m[2]), bar(link.ReplaceAllString(m[3], "$1"))}
			}
		}
		out[strings.ToLower(title)] = keys
	}
	return out
}

func bar(text string) string { return strings.ReplaceAll(text, "\x00", "|") }
