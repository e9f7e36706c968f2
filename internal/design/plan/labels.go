package plan

import (
	"fmt"
	"strconv"

	"linerate/internal/base/unit"
)

func rateText(r float64) string { return unit.BitRate(r).String() }

// labels gives every cable a short name and each of its ends the text to print:
// the cable, this end, the other end, the address.
func (b *builder) labels() {
	used := map[string]bool{}
	for _, l := range b.p.Links {
		if l.Label != "" {
			used[l.Label] = true
		}
	}
	n := 0
	for _, l := range b.p.Links {
		for l.Label == "" {
			n++
			if c := fmt.Sprintf("C%d", n); !used[c] {
				l.Label = c
			}
		}
		for i := range l.Ends {
			here, there := l.Ends[i], l.Ends[1-i]
			text := fmt.Sprintf("%s | %s -> %s", l.Label, here.ID, there.ID)
			if a := b.addressOf(here.ID); a != "" {
				text += " | " + a
			}
			l.EndLabel[i] = text
		}
	}
}

// addressOf is the address that a port answers on, through its bond if it is in one.
func (b *builder) addressOf(id string) string {
	if o := b.owner[id]; o != nil && o.Address.IsValid() {
		return o.Address.String()
	}
	return ""
}

// CableText is the cable in a few words: "dac 3 m"; empty if the file names none.
func (l *Link) CableText() string {
	if l.Cable == nil || l.Cable.Cable == nil {
		return ""
	}
	text := string(l.Cable.Cable.Media)
	if m, ok := l.LengthM.Get(); ok {
		text += fmt.Sprintf(" %s m", strconv.FormatFloat(m, 'f', -1, 64))
	}
	return text
}
