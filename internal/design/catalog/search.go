package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// searched is a text of a part in which words are looked for.
type searched struct {
	letters string // letters, digits and '+' in lower case, without what separates them
	starts  []bool // by byte, one more than letters: a run of letters or digits begins, or the text ends
	score   int    // of a whole match
	name    bool   // a name, in which a number alone counts
}

// The scores of whole matches, by what matches.
const (
	nameScore   = 100
	familyScore = 60
	vendorScore = 40
	kindScore   = 30
	otherScore  = 20
)

// synonyms are words that people type and that no entry has, by the words of the catalogue.
var synonyms = map[string][]string{
	"nic":         {"card", "cards", "nics", "adapter", "adapters", "hca", "networkcard", "networkadapter"},
	"switch":      {"switches"},
	"cable":       {"cables", "wire"},
	"transceiver": {"transceivers", "module", "modules", "optic", "optics", "optical", "fibre", "fiber"},
	"drive":       {"drives", "disk", "disks", "ssd", "ssds", "nvme", "hdd"},
	"dac":         {"copper", "twinax", "dacs", "directattach"},
	"aoc":         {"aocs", "optic", "optics", "optical", "fibre", "fiber", "activeoptical"},
	"pair":        {"copper", "rj45", "cat6", "cat6a", "cat7", "baset"},
	"rocev1":      {"roce"},
	"rocev2":      {"roce"},
	"ib":          {"infiniband"},
	"mellanox":    {"nvidia", "mlx"},
	"nvidia":      {"mellanox", "mlx"},
	"hpe":         {"hp"},
	"mikrotik":    {"routeros", "mt"},
	"connectx":    {"cx"},
}

// fillers are words that do not restrict a search.
var fillers = []string{"a", "an", "and", "the", "with", "for", "of", "or", "port", "ports", "network", "used", "speed"}

// Search returns the parts that match every word of the text, the nearest first: those whose names match, then NICs
// before switches and cables, then those whose rate is nearest to a rate in the text. An empty text finds all parts.
//
// A word matches from the beginning of a word or number to the end of one, or within a word at its end; so "connectx 3"
// is not in ConnectX-5 or MCX354A. Neighbouring words also match as one: "connectx 3", "sfp+ dac 3 m". A rate (40G, 40
// GbE, 40) matches every part that has it. If nothing matches in this way, a word may end within a number, and then be
// anywhere: "mcx35", "54a".
func (c *Catalog) Search(text string) []*Part {
	words := wordsOf(text)
	if len(words) == 0 {
		return slices.Clone(c.Parts)
	}
	for _, how := range []manner{wordBoundaries, numberPrefix, anywhere} {
		if found := c.ranked(words, how); len(found) > 0 {
			return found
		}
	}
	return nil
}

// manner is how strictly a word has to match.
type manner int

const (
	wordBoundaries manner = iota
	numberPrefix          // it may end within a number
	anywhere              // it may begin and end anywhere
)

func (c *Catalog) ranked(words []string, how manner) []*Part {
	type hit struct {
		part        *Part
		score, away int
	}
	var hits []hit
	for _, p := range c.Parts {
		if score, away, ok := p.matches(words, how); ok {
			hits = append(hits, hit{p, score, away})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(b.score-a.score, slices.Index(kinds, a.part.Kind)-slices.Index(kinds, b.part.Kind), a.away-b.away)
	})
	return xslices.Map(hits, func(h hit) *Part { return h.part })
}

// wordsOf splits a text into its words in lower case. A number and its unit become one word: 40 GbE, 3 m. Words that do
// not restrict a search are omitted if others remain.
func wordsOf(text string) []string {
	all := strings.Fields(strings.ToLower(text))
	var words []string
	for i := 0; i < len(all); i++ {
		w := strings.Trim(all[i], ",;\"'()")
		if i+1 < len(all) && isNumber(w) && !isNumber(all[i+1][:1]) &&
			(rateOf(w+all[i+1]) > 0 || slices.Contains(lengthUnits, all[i+1])) {
			w += all[i+1]
			i++
		}
		if w != "" {
			words = append(words, w)
		}
	}
	some := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(fillers, w) })
	if len(some) == 0 {
		return words
	}
	return some
}

var lengthUnits = []string{"m", "metre", "metres", "meter", "meters"}

func isNumber(w string) bool {
	_, err := strconv.ParseFloat(w, 64)
	return err == nil && w[0] >= '0' && w[0] <= '9'
}

var rateForm = regexp.MustCompile(`^(\d{1,3}(?:\.\d)?)(?:g|gb|gbe|ge|gbit|gbits|gbps|gb/s|gbit/s|gigabit)$`)

// rateOf returns the rate that a word like 40g or 40gbe names; 0 if it names none.
func rateOf(w string) unit.BitRate {
	m := rateForm.FindStringSubmatch(w)
	if m == nil {
		return 0
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	return unit.BitRate(v) * unit.GigabitPerSecond
}

// matches returns the score of a part for words, and how far its fastest rate is from a rate among them; ok is false
// if it does not match every word.
func (p *Part) matches(words []string, how manner) (score, away int, ok bool) {
	texts := p.searched()
	const none = -1
	best := make([]int, len(words)+1) // of the first i words
	for i := 1; i <= len(words); i++ {
		best[i] = none
		for j := max(0, i-4); j < i; j++ {
			if best[j] == none {
				continue
			}
			s := 1 // a rate does not decide the order
			if i > j+1 || !p.hasRate(words[j]) {
				s = matchOne(texts, words[j:i], how)
			}
			if s > 0 {
				best[i] = max(best[i], best[j]+s)
			}
		}
	}
	if best[len(words)] == none {
		return 0, 0, false
	}
	for _, w := range words {
		if rate := cmp.Or(rateOf(w), rateOf(w+"g")); rate > 0 && p.hasRate(w) {
			away = int((p.quickest() - rate) / unit.GigabitPerSecond)
			if away < 0 {
				away = -away
			}
		}
	}
	return best[len(words)], away, true
}

// matchOne returns the best score of neighbouring words as one; 0: no match.
func matchOne(texts []searched, words []string, how manner) int {
	folded, _ := foldText(strings.Join(words, " "))
	if folded == "" {
		return 0
	}
	number := isNumber(folded)
	best := 0
	for _, t := range texts {
		if number && (!t.name || len(folded) < 2) {
			continue
		}
		best = max(best, t.find(folded, how))
	}
	return best * len(words)
}

// find returns the score of a folded word in a text; 0: it is not in it.
func (t searched) find(word string, how manner) int {
	best := 0
	for from := 0; from+len(word) <= len(t.letters); from++ {
		i := strings.Index(t.letters[from:], word)
		if i < 0 {
			break
		}
		from += i
		end := from + len(word)
		digit := end < len(t.letters) && t.letters[end] >= '0' && t.letters[end] <= '9'
		score := 0
		switch {
		case from == 0 && end == len(t.letters):
			score = t.score
		case t.starts[from] && t.starts[end]:
			score = t.score / 2
		case t.starts[from] && (!digit && len(word) > 1 || how >= numberPrefix):
			score = t.score / 4
		case how == anywhere && len(word) > 2:
			score = t.score / 8
		}
		best = max(best, score)
	}
	return best
}

// foldText returns the letters, digits and '+' of a text in lower case, and at which bytes runs of letters or digits
// begin.
func foldText(s string) (letters string, starts []bool) {
	var b strings.Builder
	last := ' '
	class := func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r):
			return 'a'
		}
		return r
	}
	for _, r := range strings.ToLower(s) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' {
			last = ' '
			continue
		}
		starts = append(starts, class(r) != class(last) && r != '+')
		for range len(string(r)) - 1 {
			starts = append(starts, false)
		}
		b.WriteRune(r)
		last = r
	}
	return b.String(), append(starts, true)
}

// searched returns the texts of a part in which words are looked for.
func (p *Part) searched() (all []searched) {
	add := func(score int, name bool, texts ...string) {
		for _, text := range texts {
			if letters, starts := foldText(text); letters != "" {
				all = append(all, searched{letters, starts, score, name})
			}
		}
	}
	add(nameScore, true, p.names()...)
	add(familyScore, true, p.Family)
	if rest, ok := strings.CutPrefix(p.Family, "ConnectX"); ok {
		add(familyScore, true, "CX"+rest)
	}
	add(vendorScore, false, p.Vendor)
	for _, word := range strings.Fields(strings.ToLower(p.Vendor)) {
		add(vendorScore-10, false, synonyms[word]...)
	}
	kinds := []string{string(p.Kind)}
	if p.Cable != nil {
		kinds = append(kinds, string(p.Cable.Media))
		for _, e := range p.Cable.Ends {
			add(otherScore, false, string(e))
		}
		if m, ok := p.Cable.Length.Get(); ok {
			add(kindScore, false, fmt.Sprintf("%gm", m))
		}
		add(otherScore, false, p.Cable.Fiber)
	}
	for _, k := range kinds {
		add(kindScore, false, k)
		add(kindScore-10, false, synonyms[k]...)
	}
	cages := map[Cage]int{}
	for _, port := range p.Ports {
		if cages[port.Cage]++; cages[port.Cage] == 1 {
			add(otherScore, false, string(port.Cage))
		}
	}
	if words := map[int][]string{1: {"single"}, 2: {"dual", "double"}, 4: {"quad"}}[len(p.Ports)]; p.Kind == NIC {
		add(otherScore, false, words...)
	}
	for _, d := range p.Drivers {
		add(otherScore, false, d.Driver, d.Interface)
	}
	for _, transport := range p.RDMA {
		add(otherScore, false, transport, "rdma")
		add(otherScore, false, synonyms[transport]...)
	}
	for _, r := range p.InfiniBand {
		add(otherScore, false, string(r), "infiniband")
	}
	if len(p.Speeds) > 0 {
		add(otherScore, false, "ethernet")
	}
	if p.Switch != nil {
		add(otherScore, false, p.Switch.Chip, p.Switch.OS)
	}
	add(otherScore, false, p.PCIIDs...)
	return all
}

// hasRate reports whether a word names a rate of the part: 40g, 40gbe or 40. A port that is faster than the Ethernet
// rate of its cage (56G in QSFP+, only between Mellanox devices) also has that rate.
func (p *Part) hasRate(word string) bool {
	rate := cmp.Or(rateOf(word), rateOf(word+"g"))
	if rate == 0 {
		return false
	}
	if slices.Contains(p.Speeds, rate) {
		return true
	}
	for _, port := range p.Ports {
		if slices.Contains(port.Speeds, rate) ||
			len(port.Speeds) > 0 && port.Cage.Rate() == rate && slices.Max(port.Speeds) > rate {
			return true
		}
	}
	return p.Cable != nil && len(p.Speeds) == 0 && p.quickest() == rate
}

// quickest returns the highest rate of a part's ports, or of a cable's plugs; 0: not known.
func (p *Part) quickest() unit.BitRate {
	if rate := p.Fastest(); rate > 0 || p.Cable == nil || len(p.Cable.Ends) == 0 {
		return rate
	}
	return p.Cable.Ends[0].Rate()
}
