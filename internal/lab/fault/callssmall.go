package fault

import "fmt"

// callsSmall is a program that hands over and takes a few bytes with each call.
var callsSmall = Fault{
	ID: "calls-small", Title: "a program that hands over a few bytes at a time", Cause: "cpu-per-request", Kind: Live, Terrain: Fast,
	Parameters: []Parameter{{Name: "bytes", Unit: "B", Low: 64, High: 1024, Log: true}},
	Settings:   func(v Values) map[string]string { return map[string]string{"size": fmt.Sprintf("%.0f", v["bytes"])} },
}
