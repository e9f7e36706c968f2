package traffic

import "linerate/internal/base/unit"

// way is how a sender hands its bytes to the kernel.
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

// smallestBuffer << sizes-1 is the largest buffer of a trial.
const sizes = 6

// candidate is one way to run a stream that the trial compares.
type candidate struct {
	way      way
	size     uint8 // of both ends' calls: smallestBuffer << size
	lowWater bool  // the receiver sleeps until much is there
	pauses   bool  // the receiver sleeps for a while when nothing is there
	place    placement
}

func (c candidate) bytes() unit.Bytes { return smallestBuffer << c.size }

// order is a candidate on its way from the receiver, which measures and decides, to the sender: two bytes on the
// connection's own idle direction. A stranger's bytes are no order.
func (c candidate) order() [2]byte {
	return [2]byte{0x40 | byte(c.place), byte(c.way)<<4 | c.size}
}

func parseOrder(b [2]byte) (c candidate, ok bool) {
	c = candidate{way: way(b[1] >> 4), size: b[1] & 15, place: placement(b[0] & 15)}
	return c, b[0]>>4 == 4 && c.way < ways && c.size < sizes && c.place < placements
}

// firstCandidate is what runs where no trial is made: the method's own choice.
func firstCandidate(s Setup) candidate {
	c := candidate{}
	want := streamSize(s.connections())
	for c.bytes() < want && c.size < sizes-1 {
		c.size++
	}
	c.pauses = s.small() && s.Tuning.Trial
	if s.Tuning.label() == "B" || s.Tuning.label() == "C" {
		// Half of what a copying sender takes: nothing is copied, and the receiver's copies stay in its cache.
		c.way, c.size = wayTee, max(c.size, 1)-1
		c.lowWater = s.Tuning.label() == "C"
	}
	return c
}

// trialStages is what is compared: where threads run, if that is free, and then buffers and the sender's way.
func trialStages(s Setup) ([]stage, candidate) {
	first := firstCandidate(s)
	var out []stage
	if s.Tuning.Placement == PlaceAuto && len(s.Tuning.Cores) == 0 {
		places := []placement{placeFree, placeSpread}
		if s.Tuning.Together {
			places = []placement{placeFree, placeApart, placeTogether}
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
	if s.small() {
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

// buffers is the sizes and ways that a kind of copying allows.
func buffers(s Setup) []candidate {
	var list []candidate
	largest := s.largestBuffer()
	add := func(c candidate) {
		if c.bytes() <= largest {
			list = append(list, c)
		}
	}
	switch s.Tuning.label() {
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
