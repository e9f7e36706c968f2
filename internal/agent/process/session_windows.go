package process

import "os/exec"

// ownSession does nothing: the agent's job object ends everything with the agent.
func ownSession(*exec.Cmd) {}
