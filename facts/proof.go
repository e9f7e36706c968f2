package facts

// Proof is the line that a fact was read from, as it stands there, and the source that it is of.
type Proof struct {
	Source string // "ethtool -S eth2"
	Line   string
}

// proof is a line of the source that is being read.
func (f *Facts) proof(line string) Proof { return Proof{f.reading, oneLine(line)} }
