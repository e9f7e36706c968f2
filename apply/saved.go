package apply

import (
	"context"
	"strings"

	"linerate/reach"
)

// stateOf is the line of undo.sh that names the file in which apply.sh kept what was before.
const stateOf = "state="

// saved reads the undo as the host has it now: undo.sh, and what was before the first apply.
func (j *Job) saved(ctx context.Context) map[string]string {
	out := map[string]string{"undo.sh": j.Scripts["undo.sh"]}
	for line := range strings.Lines(j.Scripts["undo.sh"]) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), stateOf)
		if !ok {
			continue
		}
		got, err := reach.RunCommand(ctx, j.Reach, reach.Command{Argv: []string{"cat", strings.Trim(path, `'"`)}, Env: j.Env})
		if err == nil && got.Exit == 0 {
			out["state"] = string(got.Stdout)
		}
		break
	}
	return out
}
