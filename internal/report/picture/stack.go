package picture

import "strings"

// smallest is the smallest size of type: it can be read where a forum shows the picture at its full width.
const smallest = 18

// pitch is the distance of two lines, in sizes of type.
const pitch = 1.25

// anywhere is the breaks of a word that has none of its own.
const anywhere = "anywhere"

// room is the place of texts that follow each other downwards. x is their left end, their middle or their right end, as
// the anchor of a text says.
type room struct {
	x, top, width, height float64
	anchor                int
}

// stack writes texts below each other, as large as their room allows. Long ones are wrapped, then all become smaller:
// a cut could take away the words that matter. It reports whether all of them fit. Where they do not fit even in the
// smallest type, it writes nothing.
func (s *scene) stack(in room, f *fonts, all ...text) bool {
	for _, breaks := range []string{"", "-._/:,", anywhere} {
		for scale := 1.0; scale > 0; scale -= 0.04 {
			lines, fits, last := f.set(in, scale, breaks, all)
			if fits {
				s.texts = append(s.texts, lines...)
				return true
			}
			if last {
				break
			}
		}
	}
	return false
}

// force writes texts as stack does. What is too long for the smallest type loses its middle, the longest text first:
// names that differ at their end keep it.
func (s *scene) force(in room, f *fonts, all ...text) {
	all = append([]text{}, all...)
	for {
		if _, fits, _ := f.set(in, 0, anywhere, all); fits {
			s.stack(in, f, all...)
			return
		}
		longest := 0
		for i, t := range all {
			if len(t.words) > len(all[longest].words) {
				longest = i
			}
		}
		r := []rune(strings.Replace(all[longest].words, "...", "", 1))
		if len(r) < 2 {
			return
		}
		drop := max(len(r)/16, 1)
		from := (len(r) - drop) / 2
		all[longest].words = string(r[:from]) + "..." + string(r[from+drop:])
	}
}

// set returns the lines of texts at a scale, whether they fit into the room, and whether no smaller scale changes them.
// breaks are the characters after which a word may be broken.
func (f *fonts) set(in room, scale float64, breaks string, all []text) (lines []text, fits, last bool) {
	y, last := in.top, true
	fits = true
	for _, t := range all {
		t.size = max(t.size*scale, min(t.size, smallest))
		last = last && t.size <= smallest
		t.x, t.anchor, t.within = in.x, in.anchor, in.width
		for rest := t.words; rest != ""; {
			t.words, rest = f.split(rest, t.size, t.bold, in.width, breaks)
			fits = fits && f.width(t.words, t.size, t.bold) <= in.width
			t.y = y + t.size
			y += t.size * pitch
			lines = append(lines, t)
		}
	}
	return lines, fits && y <= in.top+in.height, last
}

// split returns the words that fit into a width, and the rest. A word that does not fit is broken after one of the
// characters of breaks.
func (f *fonts) split(s string, size float64, bold bool, within float64, breaks string) (first, rest string) {
	end := 0
	for i, r := range s {
		next := i + len(string(r))
		atSpace := next == len(s) || s[next] == ' '
		if !atSpace && breaks != anywhere && !strings.ContainsRune(breaks, r) {
			continue
		}
		if end > 0 && f.width(s[:next], size, bold) > within {
			break
		}
		end = next
	}
	return s[:end], strings.TrimLeft(s[end:], " ")
}
