package fault

// gidVersion asks for RoCE version 1 of devices that speak version 2 alone, as soft RoCE does.
var gidVersion = Fault{
	ID: "gid-version", Title: "RoCE of a version that the devices do not speak", Cause: "gid-index", Kind: Live, Terrain: RDMA, Needs: []string{NeedsGuests},
	Settings: func(Values) map[string]string { return map[string]string{"transport": "rocev1"} },
}
