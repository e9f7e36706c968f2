package lab

import "linerate/internal/base/unit"

// order is what the controller gives the init on its standard input, one JSON object on the first line.
type order struct {
	ID       string       `json:"id"`
	Dir      string       `json:"dir"`
	Token    string       `json:"token"`
	Layout   *layout      `json:"layout"`
	Scale    float64      `json:"scale"`
	Busy     unit.BitRate `json:"busy"`
	Rootless bool         `json:"rootless"`
	Guests   *GuestParts  `json:"guests,omitempty"`
	Share    *Share       `json:"share,omitempty"`
}

// stay is the second line: the lab outlives its controller. The end of the input without it ends the lab.
const stay = "stay"

// report is one line of what the init says to its controller.
type report struct {
	Step  string `json:"step,omitempty"`
	Error string `json:"error,omitempty"`
	Info  *Info  `json:"info,omitempty"` // the last one: the lab is up
}
