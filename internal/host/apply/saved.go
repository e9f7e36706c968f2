package apply

import (
	"context"
	"path"
	"strings"

	"linerate/internal/host/connect"
)

// saved reads the undo as the host has it now: undo.sh, and what was before the first apply.
func (j *Job) saved(ctx context.Context) map[string]string {
	out := map[string]string{"undo.sh": j.Scripts["undo.sh"]}
	if j.State == "" {
		return out
	}
	// A host may keep it elsewhere than the scripts do by themselves; what its scripts are told is told here too.
	const here = `cd "${LINERATE_STATE:-$1}" && `
	read := func(script string, args ...string) string {
		argv := append([]string{"sh", "-c", here + script, "sh", j.State}, args...)
		got, err := connect.RunCommand(ctx, j.Reach, connect.Command{Argv: argv, Env: j.Env})
		if err != nil || got.Exit != 0 {
			return ""
		}
		return string(got.Stdout)
	}
	for _, name := range strings.Fields(read("ls")) {
		out[path.Join("state", path.Base(name))] = read(`cat "./$2"`, path.Base(name))
	}
	return out
}
