package facts

// notInEffect is something that a switch says is set on a port, and not in effect.
type notInEffect struct {
	port, what string
	Proof
}

// settleNotInEffect says what is set and not in effect, of ports that have a link, or of which nobody says that they have none: on
// a port without a link much is not in effect.
func settleNotInEffect(f *Facts) {
	for _, x := range f.said.idle {
		if n := f.NIC(x.port); n == nil || n.Carrier.Or(true) { // also where it is of all ports
			f.happened(Event{What: NotInEffect, Subject: x.port, Detail: x.what, Proof: x.Proof})
		}
	}
	f.said.idle = nil
}
