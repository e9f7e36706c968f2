package fault

import (
	"fmt"
	"regexp"
)

// A machine that is emulated and shares its processor gets its turns late: what a bucket of a few milliseconds loses meanwhile is never made up.
// The bucket here is less than a hundredth of an experiment's window, so that what it lets through at once is within what a ceiling allows.
const (
	steadyBurst = 0.025 // s at the link's rate
	steadyQueue = 0.040
)

var bucketDepth = regexp.MustCompile(`burst \S+ (latency|limit) \S+`)

// interfaces are those that the end's cables are plugged into.
func (e End) interfaces() []string {
	if len(e.Members) > 0 {
		return e.Members
	}
	return []string{e.Interface}
}

// Steady deepens the buckets of the shapers at both ends of a link between guests, of every cable where it is a bond.
func (p *Place) Steady() {
	for _, e := range []End{p.Sender, p.Receiver} {
		for _, on := range e.interfaces() {
			was := p.root(e.Host, on)
			deep := fmt.Sprintf("burst %.0f latency %.0fms", steadyBurst*float64(p.Rate)/8, 1000*steadyQueue)
			p.run(e.Host, bucketDepth.ReplaceAllString(was, deep), was)
		}
	}
}
