package wire

// Link is a link between two interfaces, by name.
type Link struct {
	A, B       string
	ToB, ToA   Settings // of what comes in at A, and of what comes in at B
	Seed       uint64
	Forwarding func() // called once, when frames are carried; nil: nobody is told
}

// Totals are what both directions did.
type Totals struct {
	ToB, ToA Counts
}
