package tcp

import (
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
)

// way is how a sender passes its bytes to the kernel.
type way uint8

const (
	wayWrite    way = iota // write: the kernel copies
	waySplice              // vmsplice of a buffer into a pipe, and on into the socket
	wayTee                 // tee of a filled pipe, and on into the socket
	waySendfile            // sendfile from memory
	wayZeroCopy            // send with MSG_ZEROCOPY
	ways
)

func (w way) String() string {
	return [...]string{"write", "vmsplice", "tee", "sendfile", "MSG_ZEROCOPY"}[w]
}

// sizes is the number of buffers of a trial: the largest is smallestBuffer << sizes-1.
const sizes = 6

// candidate is one way to run a stream that the trial compares.
type candidate struct {
	way      way
	size     uint8 // of both ends' calls: smallestBuffer << size
	lowWater bool  // the receiver sleeps until much is there
	pauses   bool  // the receiver sleeps for a while when nothing is there
	place    placement.Rule
}

func (c candidate) bytes() unit.Bytes { return smallestBuffer << c.size }

// order encodes a candidate on its way from the receiver, which measures and decides, to the sender: two bytes on the
// connection's own idle direction. Other bytes are not an order.
func (c candidate) order() [2]byte {
	return [2]byte{0x40 | byte(c.place), byte(c.way)<<4 | c.size}
}

func parseOrder(b [2]byte) (c candidate, ok bool) {
	c = candidate{way: way(b[1] >> 4), size: b[1] & 15, place: placement.Rule(b[0] & 15)}
	return c, b[0]>>4 == 4 && c.way < ways && c.size < sizes && c.place < placement.Rules
}

// firstCandidate returns what runs without a trial: the method's own choice.
func firstCandidate(s traffic.Setup) candidate {
	c := candidate{}
	want := streamSize(s.Connections())
	for c.bytes() < want && c.size < sizes-1 {
		c.size++
	}
	c.pauses = small(s) && s.Tuning.Trial
	if s.Tuning.Label() == "B" || s.Tuning.Label() == "C" {
		// Half of what a copying sender takes: nothing is copied, and the receiver's copies stay in its cache.
		c.way, c.size = wayTee, max(c.size, 1)-1
		c.lowWater = s.Tuning.Label() == "C"
	}
	return c
}

// trialStages returns what is compared: where threads run, if that is free, and then buffers and the sender's way.
func trialStages(s traffic.Setup) ([]stage, candidate) {
	first := firstCandidate(s)
	var out []stage
	if s.Tuning.Placement == traffic.PlaceAuto && len(s.Tuning.Cores) == 0 {
		places := []placement.Rule{placement.Free, placement.Spread}
		if s.Tuning.Together {
			places = []placement.Rule{placement.Free, placement.Apart, placement.Together}
		}
		out = append(out, stage{share: 1, list: func(best candidate) []candidate {
			var list []candidate
			for _, p := range places {
				best.place = p
				list = append(list, best)
			}
			return list
		}})
	}
	if small(s) {
		out = append(out, stage{share: 2, list: func(best candidate) []candidate {
			plain := best
			plain.pauses = false
			return []candidate{best, plain}
		}})
	}
	if s.Size == 0 {
		out = append(out, stage{share: 2, list: func(best candidate) []candidate {
			list := []candidate{best}
			for _, c := range buffers(s) {
				if c.place = best.place; c != best {
					list = append(list, c)
				}
			}
			return list
		}})
	}
	return out, first
}

// buffers returns the sizes and ways that a copy mode allows.
func buffers(s traffic.Setup) []candidate {
	var list []candidate
	largest := largestBufferOf(s)
	add := func(c candidate) {
		if c.bytes() <= largest {
			list = append(list, c)
		}
	}
	switch s.Tuning.Label() {
	case "A":
		for i := range uint8(sizes) {
			add(candidate{size: i})
		}
	case "B":
		for _, i := range []uint8{2, 1, 3} {
			add(candidate{way: wayTee, size: i})
		}
		for _, i := range []uint8{1, 3} {
			add(candidate{way: waySplice, size: i})
			add(candidate{way: waySendfile, size: i})
		}
		add(candidate{way: wayZeroCopy, size: 1})
	case "C":
		for _, i := range []uint8{2, 1} {
			add(candidate{way: wayTee, size: i, lowWater: true})
		}
		add(candidate{way: wayTee, size: 1})
		add(candidate{way: waySplice, size: 1, lowWater: true})
		add(candidate{way: waySendfile, size: 3, lowWater: true})
		add(candidate{way: wayZeroCopy, size: 1, lowWater: true})
	}
	return list
}
