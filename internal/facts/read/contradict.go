package read

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
)

// twice reports sources that are in a snapshot twice with different contents: outputs of different times or machines.
// from is the file of each source.
func twice(a *snapshot.Archive, from []string) (out []facts.Unknown) {
	at := map[string]int{}
	for i, f := range a.Files {
		before, ok := at[f.Name]
		at[f.Name] = i
		if !ok || string(a.Files[before].Data) == string(f.Data) {
			continue
		}
		alone := func(i int) *facts.Facts {
			one := snapshot.Archive{Comment: a.Comment, Files: a.Files[i : i+1]}
			got, err := Parse(one.Bytes())
			if err != nil {
				return &facts.Facts{}
			}
			return got
		}
		if list, _ := facts.Contradictions(alone(before), alone(i)); len(list) > 0 {
			out = append(out, facts.Unknown{Subject: from[i],
				Reason: fmt.Sprintf("%s is also in %s, of another time or machine: %s; of what both say, this one counts", f.Name,
					from[before], strings.Join(list, ", "))})
		}
	}
	return out
}
