package agent

import "os/exec"

// apart does nothing here: the agent's job object ends everything with it.
func apart(*exec.Cmd) {}
