package judge

// Between names the path between the ends as a component.
func (c *Case) Between() string { return "the way from " + c.Sender.Host + " to " + c.Receiver.Host }
