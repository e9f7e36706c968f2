package lab

import "errors"

// ErrNoReboot is a host that cannot reboot: it is none of the lab, or no guest with an operating system.
var ErrNoReboot = errors.New("it cannot reboot")

// Rebooted is what a guest with an operating system is after a reboot.
type Rebooted struct {
	Host    string  `json:"host"`
	Seconds float64 `json:"seconds"` // from the request until its network was up
	// Files are the files of configuration that its network is made of. Without any the lab has set the plan's addresses.
	Files []string `json:"files"`
	Notes []string `json:"notes"` // what is not as it should be
}
