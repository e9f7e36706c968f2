package picture

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// TestGlyphs: glyphs.txt has the outlines of the Go fonts; -update makes it.
func TestGlyphs(t *testing.T) {
	var b strings.Builder
	var buffer sfnt.Buffer
	const size = fixed.Int26_6(1000 << 6)
	at := func(p fixed.Point26_6) string { return fmt.Sprintf(" %d %d", p.X.Round(), p.Y.Round()) }
	for i, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		f := testenv.Must(sfnt.Parse(ttf))(t)
		for r := ' '; r <= '~'; r++ {
			index := testenv.Must(f.GlyphIndex(&buffer, r))(t)
			advance := testenv.Must(f.GlyphAdvance(&buffer, index, size, font.HintingNone))(t)
			fmt.Fprintf(&b, "%d %d %d", i, r, advance.Round())
			for _, s := range testenv.Must(f.LoadGlyph(&buffer, index, size, nil))(t) {
				switch s.Op {
				case sfnt.SegmentOpMoveTo:
					b.WriteString(" M" + at(s.Args[0]))
				case sfnt.SegmentOpLineTo:
					b.WriteString(" L" + at(s.Args[0]))
				case sfnt.SegmentOpQuadTo:
					b.WriteString(" Q" + at(s.Args[0]) + at(s.Args[1]))
				default:
					t.Fatalf("%c has a segment of another kind", r)
				}
			}
			b.WriteByte('\n')
		}
	}
	golden.Compare(t, "glyphs.txt", b.String())
}
