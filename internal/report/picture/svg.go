package picture

import (
	"fmt"
	"html"
	"io"
)

// svg writes a scene as SVG. A text has the width that it has in the PNG, whatever font the reader has.
func (s *scene) svg(w io.Writer, f *fonts) {
	palette := colours(s.dark)
	colour := func(t tone) string { return palette[t] }
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" `+
		`aria-labelledby="t d" font-family="Go, system-ui, sans-serif">`+"\n", Width, Height, Width, Height)
	fmt.Fprintf(w, "<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n", html.EscapeString(s.title),
		html.EscapeString(s.description))
	for _, b := range s.boxes {
		fmt.Fprintf(w, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", b.x, b.y, b.w, b.h,
			colour(b.tone))
	}
	for _, t := range s.texts {
		width := f.width(t.words, t.size, t.bold)
		weight := ""
		if t.bold {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(w, `<text x="%.1f" y="%.1f" font-size="%g"%s fill="%s" textLength="%.1f" `+
			`lengthAdjust="spacingAndGlyphs">%s</text>`+"\n", t.left(width), t.y, t.size, weight, colour(t.tone), width,
			html.EscapeString(t.words))
	}
	fmt.Fprintln(w, "</svg>")
}
