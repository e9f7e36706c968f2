package docs

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed causes.md
var causesPage string

// Cause is a row of docs/causes.md.
type Cause struct {
	IDs []string // mostly one
	// What is what the cause is. Evidence proves it. Fix is what linerate prints, in general words; empty: the page has
	// none.
	What, Evidence, Fix string
	Section             string // title of its section; empty: the causes of a network
}

var (
	code = regexp.MustCompile("`([^`]*)`")
	bold = strings.NewReplacer("**", "", "`", "", " ..", " ...")
)

// Causes are the rows of the tables of docs/causes.md whose first column is an id.
func Causes() (out []Cause) {
	for i, part := range strings.Split(causesPage, section) {
		title := ""
		if i > 0 {
			title, _, _ = strings.Cut(part, "\n")
		}
		inside := false
		for _, line := range strings.Split(part, "\n") {
			columns := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "| "), " | ")
			switch {
			case !strings.HasPrefix(line, "|"):
				inside = false
			case strings.HasPrefix(line, "| id |"):
				inside = true
			case inside && strings.HasPrefix(line, "| `") && len(columns) > 1:
				c := Cause{Section: title, What: words(columns[1])}
				for _, m := range code.FindAllStringSubmatch(columns[0], -1) {
					c.IDs = append(c.IDs, m[1])
				}
				if len(columns) > 2 {
					c.Evidence = words(columns[2])
				}
				if len(columns) > 3 {
					c.Fix = words(columns[3])
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// words is a text without its markup.
func words(text string) string {
	return strings.TrimSpace(bar(bold.Replace(link.ReplaceAllString(text, "$1"))))
}
