package apply

import (
	"context"
	"path"
	"strings"

	"linerate/reach"
)

// saved reads the undo as the host has it now: undo.sh, and what was before the first apply.
func (j *Job) saved(ctx context.Context) map[string]string {
	out := map[string]string{"undo.sh": j.Scripts["undo.sh"]}
	if j.State == "" {
		return out
	}
	got, err := reach.Run(ctx, j.Reach, nil, "ls", j.State)
	if err != nil || got.Exit != 0 {
		return out
	}
	for _, name := range strings.Fields(string(got.Stdout)) {
		if name != path.Base(name) || strings.HasPrefix(name, ".") {
			continue
		}
		if got, err := reach.Run(ctx, j.Reach, nil, "cat", path.Join(j.State, name)); err == nil && got.Exit == 0 {
			out[path.Join("state", name)] = string(got.Stdout)
		}
	}
	return out
}
