package plan

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
	Why:   "what no command sets is as the device has it by itself, and a device that is told less than its neighbours is where packets are lost",
	Worst: Error,
	check: func(c *checkup) []Problem { return c.lacks(ruleConfigID) },
}
