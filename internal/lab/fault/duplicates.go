package fault

// duplicates hold nothing back: the verdict is to stay that the link is full.
var duplicates = Fault{
	ID: "duplicates", Title: "some packets arrive twice, which holds nothing back", Cause: "link", Kind: Live, Terrain: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "duplicate", Unit: "1", Low: 0.0005, High: 0.005, Log: true}, {Name: "seed", Low: 1, High: 1e6}},
	Make:       func(p *Place, v Values) { p.impair("duplicate", v) },
}
