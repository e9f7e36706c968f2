package facts

// Proof is the line that a fact was read from, as it stands there, and the source that it is of.
type Proof struct {
	Source string // "ethtool -S eth2"
	Line   string
}

// proof is a line of the source that is being read.
func (f *Facts) proof(line string) Proof { return Proof{f.reading, oneLine(line)} }

// proves keeps the line that says an aspect of the interface; a later one takes its place.
func (n *Interface) proves(aspect string, p Proof) {
	if n.Proofs == nil {
		n.Proofs = map[string]Proof{}
	}
	n.Proofs[aspect] = p
}
