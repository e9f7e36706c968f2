package fabric

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
)

// maxNames is how many names one range may expand to.
const maxNames = 4096

var oneRange = regexp.MustCompile(`^(\d{1,9})-(\d{1,9})$`)

// expand returns the names that a name with ranges expands to; the last range varies fastest: n[1-2].[1-2] is n1.1 n1.2
// n2.1 n2.2. Leading zeros are kept.
func expand(s string) ([]string, error) {
	open := strings.IndexAny(s, "[]")
	if open < 0 {
		return []string{s}, nil
	}
	length := strings.Index(s[open:], "]")
	if s[open] == ']' || length < 0 {
		return nil, errors.New("its brackets do not match")
	}
	m := oneRange.FindStringSubmatch(s[open+1 : open+length])
	if m == nil {
		return nil, fmt.Errorf("%s is not a range", quote(s[open:open+length+1]))
	}
	from, _ := strconv.Atoi(m[1]) // up to nine digits
	to, _ := strconv.Atoi(m[2])
	if from > to {
		return nil, fmt.Errorf("the range [%s-%s] runs backwards", m[1], m[2])
	}
	rest, err := expand(s[open+length+1:])
	if err != nil {
		return nil, err
	}
	if (to-from+1)*len(rest) > maxNames {
		return nil, fmt.Errorf("the range has %d names, more than %d", (to-from+1)*len(rest), maxNames)
	}
	pad := 0
	if m[1][0] == '0' {
		pad = len(m[1])
	}
	names := make([]string, 0, (to-from+1)*len(rest))
	for i := from; i <= to; i++ {
		number := strconv.Itoa(i)
		number = s[:open] + strings.Repeat("0", max(0, pad-len(number))) + number
		for _, r := range rest {
			names = append(names, number+r)
		}
	}
	return names, nil
}

// step is one of the names that an entry with a range expands to. The entry's other ranges advance with it.
type step struct {
	index, count int
}

// single is the step of an entry without a range.
func single() step { return step{0, 1} }

// within returns the step of an inner entry: the inner range varies faster.
func (s step) within(inner step) step {
	return step{s.index*inner.count + inner.index, s.count * inner.count}
}

// names expands the text of a scalar and reports errors in its ranges.
func (d *decoder) names(n *node, subject string) []string {
	list := d.expansion(n, subject)
	if !d.src.charge(n.at, len(list)) {
		return nil
	}
	return list
}

// expansion is names, with each text expanded once.
func (d *decoder) expansion(n *node, subject string) []string {
	if list, ok := d.expanded[n.text]; ok {
		return list
	}
	list, err := expand(n.text)
	if err != nil {
		fix := "write a range as n[1-4], the first and the last number with a dash"
		if strings.Contains(err.Error(), "more than") {
			fix = "shorten the range"
		}
		d.bad(diag.RangeInvalid, n.at, subject, fmt.Sprintf("%s: %v", quote(n.text), err), "", fix)
		return nil
	}
	if strings.Contains(n.text, "[") && d.src.charge(n.at, len(list)) {
		d.expanded[n.text] = list
	}
	return list
}

// pick returns the name of a step; a shorter range starts again.
func (d *decoder) pick(n *node, subject string, st step) (string, bool) {
	list := d.expansion(n, subject)
	if list == nil {
		return "", false
	}
	if len(list) > st.count {
		d.bad(diag.RangeInvalid, n.at, subject,
			fmt.Sprintf("%s has %d names, not %d", quote(n.text), len(list), st.count),
			"ranges of one entry have the length of its name", "shorten the range, or write one name")
		return "", false
	}
	return list[st.index%len(list)], true
}

// several returns all names of a list: those of the step if the entry itself has a range, else all.
func (d *decoder) several(items []*node, subject string, st step) []string {
	var all []string
	for _, n := range items {
		if st.count > 1 {
			if name, ok := d.pick(n, subject, st); ok {
				all = append(all, name)
			}
			continue
		}
		all = append(all, d.names(n, subject)...)
	}
	return all
}

// ExpandName returns the names that a text with ranges expands to: "ssh n[1-3]" is "ssh n1", "ssh n2", "ssh n3". A text
// without brackets is its only name.
func ExpandName(text string) ([]string, error) { return expand(text) }
