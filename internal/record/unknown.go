package record

// Unknown is a fact that could not be read, with the reason.
type Unknown struct {
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
}
