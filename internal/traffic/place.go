package traffic

import (
	"fmt"
	"strings"
)

// mostCores is the size of the kernel's set of processors as this program asks for it.
const mostCores = 1024

// placement is a rule that puts the threads of one end on cores.
type placement uint8

const (
	placeFree     placement = iota // wherever the system puts them
	placeApart                     // both ends on one machine: from has the first half of the cores, to the rest
	placeTogether                  // both ends on one machine: the two threads of a connection share a core and its cache
	placeSpread                    // one machine each: thread i on core i
	placements
)

// cores is the list that thread i takes its core from, i modulo its length; nil leaves the threads to the system.
// allowed is what this process may use.
func (p placement) cores(side string, allowed []int) []int {
	if len(allowed) < 2 {
		return nil
	}
	switch p {
	case placeApart:
		half := (len(allowed) + 1) / 2
		if side == From {
			return allowed[:half]
		}
		return allowed[half:]
	case placeTogether, placeSpread:
		return allowed
	}
	return nil
}

// coresText is a list of cores as it is printed.
func coresText(cores []int) string {
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

// seat is where one thread sits.
type seat struct {
	index   int
	side    string
	fixed   []int // asked for
	allowed []int
	layout  *layout
	now     []int  // list in effect; nil: free
	err     error  // of the last move
	thread  int    // number of the thread; 0: not known
	name    string // it had before
}

// threadName is what a connection's thread is called meanwhile: the kernel keeps 15 characters.
func (s Setup) threadName(index int) string {
	if s.Halo != nil {
		return fmt.Sprintf("rank %d", s.Halo.Host+index*s.Halo.Hosts)
	}
	word := map[bool]string{true: "send", false: "recv"}
	if s.Method == "ping" {
		word = map[bool]string{true: "ask", false: "answer"}
	}
	return fmt.Sprintf("%s %d", word[s.active(index)], index)
}

// newSeat is that of the thread of connection index, which is the calling one.
func newSeat(s Setup, index int) *seat {
	x := &seat{index: index, side: s.Side, fixed: s.Tuning.Cores, allowed: allowedCores(), layout: s.layout}
	x.thread, x.name = nameThread(s.threadName(index))
	if len(x.fixed) > 0 {
		x.take(x.fixed)
	}
	return x
}

// move follows a rule, unless cores were asked for.
func (x *seat) move(p placement) {
	if len(x.fixed) == 0 {
		x.take(p.cores(x.side, x.order(p)))
	}
}

// order is the allowed cores, those of the card's node first where this end has its machine to itself: two ends on one
// machine divide its cores among themselves.
func (x *seat) order(p placement) []int {
	if p == placeSpread {
		return x.layout.prefer(x.allowed)
	}
	return x.allowed
}

// text says where the threads of this end are.
func (x *seat) text(s Setup) string { return x.layout.text(x.now, len(s.Tuning.Nodes) > 0) }

func (x *seat) take(cores []int) {
	set := x.allowed
	if len(cores) > 0 {
		set = cores[x.index%len(cores) : x.index%len(cores)+1]
	}
	if len(set) == 0 || len(cores) == 0 && x.now == nil {
		return // nothing is known, or nothing changes
	}
	if x.err = pinThread(set); x.err == nil {
		x.now = cores
	}
}

// leave gives the thread back as it was.
func (x *seat) leave() {
	if x.name != "" {
		nameThread(x.name)
	}
	if x.now != nil && len(x.allowed) > 0 {
		_ = pinThread(x.allowed)
	}
}
