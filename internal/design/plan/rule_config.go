package plan

import "linerate/internal/record"

// The ids of the rules that say what a device is not told of the plan (see Lack).
const (
	ruleConfigID     = "device-config"
	ruleMTUID        = "mtu"
	ruleLosslessID   = "lossless-ability"
	ruleSameSubnetID = "same-subnet"
	ruleBondID       = "bond"
)

var ruleConfig = Rule{
	ID:    ruleConfigID,
	Title: "what config cannot tell each host and switch",
	Why:   "what no command sets stays as the device has it by itself, whatever its neighbours are told",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem { return c.lacks(ruleConfigID) },
}
