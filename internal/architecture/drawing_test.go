package architecture

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/golden"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := os.Chdir("../.."); err != nil { // paths are those of the project
		panic(err)
	}
	os.Exit(m.Run())
}

// TestDrawing keeps the drawing in ARCHITECTURE.md true: it is made from the imports of the packages.
func TestDrawing(t *testing.T) {
	const begin, end = "<!-- imports: made by go test ./internal/architecture -update -->\n", "<!-- end -->\n"
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("ARCHITECTURE.md has no lines %q and %q", begin, end)
	}
	want := "```\n" + drawing(t) + "```\n"
	if golden.Updates() {
		if err := os.WriteFile("ARCHITECTURE.md", []byte(before+begin+want+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the imports are others than the drawing in ARCHITECTURE.md (-want +got); "+
			"go test ./internal/architecture -run TestDrawing -update draws it again\n%s", diff)
	}
}

// drawing lists the groups of packages by floor: a group imports only from floors below its own. An arrow is followed
// by the groups that it imports, without those that it also reaches through another group.
func drawing(t *testing.T) string {
	packages, arrows := groups(t)
	floors := map[string]int{}
	var floor func(group string, above []string) int
	floor = func(group string, above []string) int {
		if slices.Contains(above, group) {
			t.Fatalf("the groups import each other in a circle: %v", append(above, group))
		}
		if at, ok := floors[group]; ok {
			return at
		}
		at := 0
		for imported := range arrows[group] {
			at = max(at, 1+floor(imported, append(above, group)))
		}
		floors[group] = at
		return at
	}
	for group := range packages {
		floor(group, nil)
	}
	reaches := func(from, to string) bool {
		var walk func(group string) bool
		walk = func(group string) bool {
			return group == to || slices.ContainsFunc(slices.Collect(maps.Keys(arrows[group])), walk)
		}
		return walk(from)
	}
	order := slices.SortedFunc(maps.Keys(packages), func(a, b string) int {
		if floors[a] != floors[b] {
			return floors[b] - floors[a]
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	last := -1
	for _, group := range order {
		number := ""
		if floors[group] != last {
			last = floors[group]
			number = fmt.Sprint(last)
		}
		var direct []string
		for _, imported := range slices.Sorted(maps.Keys(arrows[group])) {
			others := maps.Clone(arrows[group])
			delete(others, imported)
			if !slices.ContainsFunc(slices.Collect(maps.Keys(others)), func(o string) bool { return reaches(o, imported) }) {
				direct = append(direct, imported)
			}
		}
		line := fmt.Sprintf("%2s  %-13s", number, group)
		if len(direct) > 0 {
			line += " -> " + strings.Join(direct, ", ")
		}
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
		if inside := packages[group]; len(inside) > 0 {
			fmt.Fprintf(&b, "      %s\n", strings.Join(slices.Sorted(maps.Keys(inside)), "  "))
		}
	}
	return b.String()
}

// floorOfDevice divides the folder of the device families into three floors: what a family is, which the planner
// queries; how a plan configures it; and how its output becomes facts.
func floorOfDevice(inside string) (name, rest string) {
	family, layer, _ := strings.Cut(inside, "/")
	switch {
	case layer == "render" || layer == "parse":
		return "device/" + layer, family
	case slices.Contains([]string{"config", "dcb", "guide", "render"}, family):
		return "device/render", inside
	}
	return "device", inside
}

// groups returns the folders that hold packages, below internal or at the root, each with its packages, and which group
// imports which. Tests, and packages that only tests import, are left out.
func groups(t *testing.T) (packages map[string]map[string]bool, arrows map[string]map[string]bool) {
	packages, arrows = map[string]map[string]bool{}, map[string]map[string]bool{}
	tests := []string{"internal/architecture", "internal/golden", "internal/outputs", "internal/runfile",
		"internal/tested", "internal/testenv", "docs"}
	left := func(folder string) bool {
		return strings.HasSuffix(folder, "test") || slices.ContainsFunc(tests, func(of string) bool {
			return folder == of || strings.HasPrefix(folder, of+"/")
		})
	}
	group := func(folder string) (name, inside string) {
		name, inside, _ = strings.Cut(strings.TrimPrefix(folder, "internal/"), "/")
		switch {
		case name == "cmd":
			return folder, ""
		case name == "device":
			return floorOfDevice(inside)
		case folder == "internal/facts/read": // above the parsers of the families, which are above the facts
			return folder[len("internal/"):], ""
		case inside == "catalog": // the systems that describe devices
			return folder[len("internal/"):], ""
		}
		return name, inside
	}
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") || left(folder) {
			return
		}
		name, inside := group(folder)
		if packages[name] == nil {
			packages[name], arrows[name] = map[string]bool{}, map[string]bool{}
		}
		if inside != "" {
			packages[name][inside] = true
		}
		for _, imported := range imports(t, file) {
			if other, _ := group(imported); other != name && !left(imported) {
				arrows[name][other] = true
			}
		}
	})
	return packages, arrows
}
