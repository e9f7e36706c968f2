package fault

// bitErrors: the packets arrive, and their checksums do not fit.
var bitErrors = Fault{
	ID: "bit-errors", Title: "the link changes bits, so that checksums fail", Cause: "bit-errors", Kind: Live, Terrain: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "corrupt", Unit: "1", Low: 0.002, High: 0.02, Log: true}, {Name: "seed", Low: 1, High: 1e6}},
	Make:       func(p *Place, v Values) { p.impair("corrupt", v) },
}
