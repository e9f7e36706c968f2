package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
)

// NotFoundError reports a name that belongs to no part, or to several.
type NotFoundError struct {
	Name    string
	Several bool     // Names are all parts that match, else those with the nearest names
	Names   []string // part ids; nearest names may also be those of families
}

func (e *NotFoundError) Error() string {
	switch {
	case e.Several:
		return fmt.Sprintf("%q is the name of several parts; write one of %s", e.Name, strings.Join(e.Names, ", "))
	case len(e.Names) > 0:
		return fmt.Sprintf("no part is called %q; did you mean %s?%s", e.Name, e.Names[0], others(e.Names[1:]))
	}
	return fmt.Sprintf("no part is called %q; linerate parts WORD searches the catalogue", e.Name)
}

// others names the less similar parts.
func others(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; similar: " + strings.Join(names, ", ")
}

// Find returns the part with this id, name, part number or alias, ignoring case. The error is a *NotFoundError. For a
// prefix of several part numbers, or the name of a family, it names all of them, because letters at the end of a part
// number decide what a NIC can do; else it names the nearest parts.
func (c *Catalog) Find(name string) (*Part, error) {
	key := fold(name)
	if p := c.byName[key]; p != nil {
		return p, nil
	}
	several := &NotFoundError{Name: name, Several: true}
	for _, p := range c.Parts {
		if key != "" &&
			(fold(p.Family) == key || slices.ContainsFunc(p.names(), func(n string) bool { return begins(fold(n), key) })) {
			several.Names = append(several.Names, p.ID)
		}
	}
	if len(several.Names) > 1 {
		return nil, several
	}
	ids := make([]string, 0, len(c.byName))
	for n := range c.byName {
		ids = append(ids, n)
	}
	families := map[string]string{} // by their folded names, as in speech: ConnectX-3
	for _, p := range c.Parts {
		if n := fold(p.Family); n != "" && c.byName[n] == nil && families[n] == "" {
			families[n] = p.Family
			ids = append(ids, n)
		}
	}
	e := &NotFoundError{Name: name, Names: several.Names}
	for _, n := range nearest(key, ids, 6) {
		id := families[n]
		if p := c.byName[n]; p != nil {
			id = p.ID
		}
		if !slices.Contains(e.Names, id) && len(e.Names) < 3 {
			e.Names = append(e.Names, id)
		}
	}
	return nil, e
}

// begins reports whether key is name up to one of its dashes: mcx354a of mcx354a-fcct.
func begins(name, key string) bool {
	return strings.HasPrefix(name, key) && len(name) > len(key) && (name[len(key)] == '-' || name[len(key)] == ' ')
}

// Mentions returns the parts whose notes and traps contain every word of the text.
func (c *Catalog) Mentions(text string) []*Part {
	words := strings.Fields(strings.ToLower(text))
	var found []*Part
	for _, p := range c.Parts {
		hay := strings.ToLower(strings.Join(append(slices.Clone(p.Traps), p.Notes...), "\n"))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(hay, w) }) {
			found = append(found, p)
		}
	}
	return found
}

func (p *Part) names() []string { return append([]string{p.ID, p.Name}, p.Aliases...) }

// nearest returns up to n of the names that are closest to s, best first, omitting those of which more than half of the
// letters differ.
func nearest(s string, names []string, n int) []string {
	type candidate struct {
		name string
		d    int
	}
	var near []candidate
	for _, name := range names {
		d := distance(s, name)
		if s != "" && strings.Contains(name, s) {
			d = min(d, 1) // s is a part of the name
		}
		if 2*d <= max(len(s), 4) {
			near = append(near, candidate{name, d})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		if a.d != b.d {
			return a.d - b.d
		}
		if once := squeezed(a.name) == squeezed(s); once != (squeezed(b.name) == squeezed(s)) {
			return map[bool]int{true: -1, false: 1}[once] // a double letter that was typed once
		}
		return cmp.Or(same(s, b.name)-same(s, a.name), strings.Compare(a.name, b.name))
	})
	return xslices.Map(near[:min(n, len(near))], func(c candidate) string { return c.name })
}

// same returns how many bytes two texts begin with alike.
func same(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// squeezed is a text with one of each run of equal letters.
func squeezed(s string) string { return string(slices.Compact([]byte(s))) }

// distance returns the Levenshtein distance in bytes, of the first 64 bytes of each.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
