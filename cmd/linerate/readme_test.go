package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"linerate/internal/testenv"
)

// The outputs of commands in the README are those of the program in a fresh clone.
func TestOutputsOfTheReadme(t *testing.T) {
	printsWhatItSays(t, filepath.Join("..", "README.md"), root, 1)
}

// The README fits its length, has the two commands that do all the set-up, and every file that it leads to is there.
// The report in it is one of a real run: its parts and its table have the form of the program's.
func TestReadme(t *testing.T) {
	text := string(testenv.Must(os.ReadFile(filepath.Join(root, "README.md")))(t))
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("%d lines", n)
	}
	testenv.Contains(t, "the README", text, "\n    go run ./cmd/linerate run examples/mesh-10g.yaml --lab\n",
		"\n    ./test.sh\n")
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("it leads to %s: %v", m[1], err)
		}
	}
	golden := filepath.Join(root, "internal", "report", "brief", "testdata", "slow-cause.txt")
	shown := string(testenv.Must(os.ReadFile(golden))(t))
	form := regexp.MustCompile(`(?m)^ *(link +1 stream +8 streams +ceiling +RTT p50 +bottleneck|fix |why )`)
	have, want := form.FindAllString(text, -1), form.FindAllString(shown, -1)
	if len(have) != 3 || len(want) < 3 {
		t.Errorf("parts %q, of the program %q", have, want)
	}
}

// The recorded session has the form of what quick prints: its progress, the parts of the report, and what to type next.
func TestSessionOfTheReadme(t *testing.T) {
	svg := string(testenv.Must(os.ReadFile(filepath.Join(root, "docs", "quick.svg")))(t))
	var lines []string
	for _, m := range regexp.MustCompile(`<g id="g\d+">(.*?)</g>`).FindAllStringSubmatch(svg, -1) {
		line := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(m[1], "")
		lines = append(lines, strings.TrimRight(html.UnescapeString(line), " \u00a0"))
	}
	text := strings.Join(lines, "\n") + "\n"
	at := 0
	for _, form := range []string{`desk\$ linerate quick nas --link 2\.5G\n`,
		`network  desk \S+ \(xg0\) -- nas \S+ \(xg0\), .*\n`,
		`about \d+s: 14 repeats, done about `, `1/7  desk -> nas  1 stream +[\d.]+ Gb/s +[\d.]+ %\n`,
		`7/7  desk -> nas  latency under load +[\d.]+ [mu]s\n`, `desk-nas +7 tests, \d+ s\n`,
		`nas -> desk carries [\d.]+ Mb/s of 2\.35 Gb/s \(\d+ %\)`, `Bottleneck: a shaper, tbf on xg0 of nas`,
		`fix     on nas  tc qdisc del dev xg0 root\n`,
		`        undo        tc qdisc replace dev xg0 root tbf rate 1000000000bit`,
		`link +1 stream +8 streams +ceiling +RTT p50 +bottleneck\n`,
		`why     nas -> desk (with \d streams? )?is held back by nas: a limit \(tbf\) on xg0`,
		`next    share        linerate share \S+\n`, `        everything   linerate report \S+ --all\n`} {
		loc := regexp.MustCompile(form).FindStringIndex(text[at:])
		if loc == nil {
			t.Fatalf("docs/quick.svg has no %q behind what comes before it; tools/session/record.sh records it\n%s", form,
				text[at:])
		}
		at += loc[1]
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}
