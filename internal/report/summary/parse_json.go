package summary

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// tidied drops what the summaries of a file must not have.
func tidied(all []*Summary, problems Problems, newer bool) ([]*Summary, Problems) {
	var out []*Summary
	for i, c := range all {
		if c == nil || len(out) >= mostSummaries {
			continue
		}
		if c.Version > Version && !newer {
			problems = append(problems,
				Problem{What: fmt.Sprintf("summary %d has form %d, and this version reads form %d", i+1, c.Version, Version),
					Next: "use a newer linerate; what both have is read"})
		}
		c.Ends = c.Ends[:min(len(c.Ends), 2)]
		c.order(len(c.Ends) == 2)
		for k := range c.Storage {
			problems = append(problems, c.Storage[k].tidied(i+1, newer || c.Version > Version)...)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		problems = append(problems,
			Problem{What: "there is no summary in it", Next: "write it with linerate share RUN --format json"})
	}
	return out, problems
}

// parseJSON reads a set, or one summary of it.
func parseJSON(text string) ([]*Summary, Problems) {
	var set Set
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		return nil, Problems{
			{What: "it cannot be read as JSON: " + err.Error(), Next: "write it with linerate share RUN --format json"},
		}
	}
	version, ok := strings.CutPrefix(set.Schema, "linerate/summary/")
	switch {
	case strings.HasPrefix(set.Schema, "linerate/card/"):
		return nil, Problems{oldForm}
	case !ok || strings.Contains(version, "/"):
		return nil, Problems{{What: fmt.Sprintf("its schema is %.60q, not %s", set.Schema, Schema),
			Next: "write it with linerate share RUN --format json"}}
	case set.Schema != Schema:
		return tidied(set.Summaries, Problems{{Next: "use a newer linerate; what both have is read",
			What: fmt.Sprintf("it has schema %.60q, and this version reads %s", set.Schema, Schema)}}, true)
	}
	return tidied(set.Summaries, nil, false)
}

// tidied removes the rows that no summary has. Of a newer summary, which may have more rows, it reports none. n is the
// number of the summary in the file.
func (s *Storage) tidied(n int, newer bool) (problems Problems) {
	s.Rows = slices.DeleteFunc(s.Rows, func(r Row) bool {
		op, load, _ := strings.Cut(r.Key, "-")
		if (op == "read" || op == "write") && hasRow(load) {
			return false
		}
		if !newer {
			wrong := noRowOf(r.Key)
			wrong.What = fmt.Sprintf("summary %d: %s", n, wrong.What)
			problems = append(problems, wrong)
		}
		return true
	})
	return problems
}
