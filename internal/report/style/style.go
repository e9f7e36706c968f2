package style

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

// theme is the colours of the page for one of light and dark. Ink, Soft, Fill, Accent, Met and Missed are used for
// text and are at least 4.5 to 1 against Page and Panel. Accent is the bottleneck of a slow path alone. The media of
// cables are lines, which need 3 to 1 against Page.
type theme struct {
	Page, Panel, Ink, Soft, Rule, Grid, Lane, Fill, Accent string
	Met, Missed                                            string // goals
	DAC, AOC, Fiber, Pair                                  string
}

func light() theme {
	return theme{Page: "#ffffff", Panel: "#f3f5f7", Ink: "#1a1e23", Soft: "#555e68", Rule: "#7b848e",
		Grid: "#d9dee3", Lane: "#b3bcc5", Fill: "#0072b2", Accent: "#a83c00", Met: "#006b4a",
		Missed: "#ab0f45", DAC: "#0072b2", AOC: "#b34700",
		Fiber: "#007a57", Pair: "#9a3d78"}
}

func dark() theme {
	return theme{Page: "#12161b", Panel: "#1c2229", Ink: "#e7eaee", Soft: "#a7b0ba", Rule: "#7f8994",
		Grid: "#313942", Lane: "#4b5661", Fill: "#56b4e9", Accent: "#ff9d5c", Met: "#45cf9d",
		Missed: "#ff85a6", DAC: "#56b4e9", AOC: "#e69f00",
		Fiber: "#3cc29a", Pair: "#d98cb8"}
}

// Theme is the colours of a page or a picture.
type Theme = theme

// Of returns the dark or the light theme.
func Of(isDark bool) Theme {
	if isDark {
		return dark()
	}
	return light()
}

// Systems returns the colours of lines in a comparison (Okabe-Ito). They are never used for text, and each line has a
// marker of its own with an outline of ink.
func Systems() []string {
	return []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"}
}

// Colours returns the style sheet's variables for both themes.
func Colours() string {
	var b strings.Builder
	vars := func(t theme) {
		b.WriteString(
			"--page:" + t.Page + ";--panel:" + t.Panel + ";--ink:" + t.Ink + ";--soft:" + t.Soft + ";--rule:" + t.Rule +
				";--grid:" + t.Grid + ";--lane:" + t.Lane + ";--fill:" + t.Fill + ";--accent:" + t.Accent +
				";--met:" + t.Met + ";--missed:" + t.Missed +
				";--dac:" + t.DAC + ";--aoc:" + t.AOC + ";--fiber:" + t.Fiber + ";--pair:" + t.Pair,
		)
	}
	b.WriteString(":root{color-scheme:light dark;")
	vars(light())
	b.WriteString("}@media (prefers-color-scheme:dark){:root{")
	vars(dark())
	b.WriteString("}}\n@media print{:root{")
	vars(light())
	b.WriteString("}}\n")
	for i, c := range Systems() {
		n := string(rune('0' + i))
		b.WriteString(".s" + n + "{stroke:" + c + "}.m" + n + "{fill:" + c + "}\n")
	}
	return b.String()
}

// Page is the style sheet of all pages.
//
//go:embed page.css
var Page string

// Drawing is the style sheet of drawings.
//
//go:embed drawing.css
var Drawing string

// Icon is the icon of all pages, which a page's policy allows as img-src data: two bars and the line of their ceiling.
func Icon() string {
	t := light()
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="2" fill="`+t.Page+
			`"/><path fill="`+t.Fill+`" d="M2 3h11v4H2zm0 6h6v4H2z"/><path fill="`+t.Ink+`" d="M13 1h1.5v14H13z"/></svg>`))
}

// Hash is the hash of a style or script by which a page's policy allows it.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
