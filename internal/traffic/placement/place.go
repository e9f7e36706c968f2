// Package placement puts threads on cores: by rules, by lists, by the NUMA node of the NIC.
package placement

import (
	"fmt"
	"strconv"
	"strings"
)

// MostCores is the size of the kernel's CPU set in this program's calls.
const MostCores = 1024

// Rule puts the threads of one end on cores.
type Rule uint8

// The rules. Rules is their number.
const (
	Free     Rule = iota // wherever the system puts them
	Apart                // both ends on one machine: from has the first half of the cores, to the rest
	Together             // both ends on one machine: the two threads of a connection share a core and its cache
	Spread               // one machine each: thread i on core i
	Rules
)

// Cores returns the list in which thread i has its core at i modulo its length; nil: the system places the threads.
// allowed has the cores that this process may use.
func (p Rule) Cores(first bool, allowed []int) []int {
	if len(allowed) < 2 {
		return nil
	}
	switch p {
	case Apart:
		half := (len(allowed) + 1) / 2
		if first {
			return allowed[:half]
		}
		return allowed[half:]
	case Together, Spread:
		return allowed
	}
	return nil
}

// CoresText prints a list of cores.
func CoresText(cores []int) string {
	if len(cores) == 0 {
		return "free"
	}
	words := make([]string, 0, len(cores))
	for i := 0; i < len(cores); {
		j := i
		for j+1 < len(cores) && cores[j+1] == cores[j]+1 {
			j++
		}
		if j > i+1 {
			words = append(words, fmt.Sprintf("%d-%d", cores[i], cores[j]))
		} else {
			for k := i; k <= j; k++ {
				words = append(words, fmt.Sprint(cores[k]))
			}
		}
		i = j + 1
	}
	return "cores " + strings.Join(words, ",")
}

// Affinity is the CPU affinity of one thread.
type Affinity struct {
	index   int
	first   bool  // of two ends on one machine
	fixed   []int // configured
	allowed []int
	layout  *Layout
	Now     []int  // list in effect; nil: free
	Err     error  // of the last move
	Thread  int    // number of the thread; 0: unknown
	name    string // it had before
}

// Seating is where the threads of an end may run.
type Seating struct {
	Layout *Layout
	First  bool  // of two ends on one machine
	Fixed  []int // configured cores
}

// NewAffinity makes that of the calling thread, which does connection index, and names it.
func NewAffinity(s Seating, index int, name string) *Affinity {
	x := &Affinity{index: index, first: s.First, fixed: s.Fixed, allowed: AllowedCores(), layout: s.Layout}
	x.Thread, x.name = nameThread(name)
	if len(x.fixed) > 0 {
		x.take(x.fixed)
	}
	return x
}

// Move follows a rule, unless the setup names cores.
func (x *Affinity) Move(p Rule) {
	if len(x.fixed) == 0 {
		x.take(p.Cores(x.first, x.order(p)))
	}
}

// order returns the allowed cores, those of the NIC's node first where this end is alone on its machine: two ends on
// one machine divide its cores.
func (x *Affinity) order(p Rule) []int {
	if p == Spread {
		return x.layout.Prefer(x.allowed)
	}
	return x.allowed
}

// Text prints where the threads of this end are; nodes: the setup names NUMA nodes.
func (x *Affinity) Text(nodes bool) string { return x.layout.text(x.Now, nodes) }

func (x *Affinity) take(cores []int) {
	set := x.allowed
	if len(cores) > 0 {
		set = cores[x.index%len(cores) : x.index%len(cores)+1]
	}
	if len(set) == 0 || len(cores) == 0 && x.Now == nil {
		return // nothing is known, or nothing changes
	}
	if x.Err = pinThread(set); x.Err == nil {
		x.Now = cores
	}
}

// Leave restores the thread's cores and name.
func (x *Affinity) Leave() {
	if x.name != "" {
		nameThread(x.name)
	}
	if x.Now != nil && len(x.allowed) > 0 {
		_ = pinThread(x.allowed)
	}
}

// ParseCores reads a list of cores such as 0,2,4-7.
func ParseCores(text string) ([]int, error) {
	var out []int
	for _, part := range strings.Split(text, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA != nil || errB != nil || a < 0 || b < a || b >= MostCores {
			return nil, fmt.Errorf("%q is not a list of cores such as 0,2,4-7", text)
		}
		for c := a; c <= b; c++ {
			out = append(out, c)
		}
	}
	return out, nil
}
