package picture

import (
	_ "embed"
	"fmt"
	"image"
	"image/draw"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// glyphText is the outlines of the ASCII characters of Go Regular and Go Bold, in thousandths of the size. A test makes
// it from golang.org/x/image/font/gofont: the fonts and a reader of fonts would add 800 kB to the program. A line has
// the face (0, 1), the character's code, its advance, and its path: M x y, L x y, Q x y x y.
//
//go:embed glyphs.txt
var glyphText string

// glyph is one character: its advance, and its outline, both in thousandths of the size.
type glyph struct {
	advance float64
	path    []string
}

// fonts are the glyphs of both faces.
type fonts struct {
	faces [2]map[rune]glyph
}

func loadFonts() (*fonts, error) {
	f := &fonts{faces: [2]map[rune]glyph{{}, {}}}
	for _, line := range strings.Split(strings.TrimSpace(glyphText), "\n") {
		words := strings.Fields(line)
		if len(words) < 3 {
			return nil, fmt.Errorf("the outlines have the line %q", line)
		}
		code, err := strconv.Atoi(words[1])
		if err != nil {
			return nil, fmt.Errorf("the outlines have the character %q", words[1])
		}
		f.faces[min(whole(words[0]), 1)][rune(code)] = glyph{float64(whole(words[2])), words[3:]}
	}
	return f, nil
}

// whole returns a whole number of the outlines.
func whole(s string) int {
	n, _ := strconv.Atoi(s) // the file is made
	return n
}

// glyph returns that of a character; a question mark for one that the outlines do not have.
func (f *fonts) glyph(r rune, bold bool) glyph {
	face := f.faces[0]
	if bold {
		face = f.faces[1]
	}
	if g, ok := face[r]; ok {
		return g
	}
	return face['?']
}

// width returns the width of a text in pixels.
func (f *fonts) width(s string, size float64, bold bool) float64 {
	sum := 0.0
	for _, r := range s {
		sum += f.glyph(r, bold).advance
	}
	return sum * size / 1000
}

// draw draws a text whose baseline begins at x, y.
func (f *fonts) draw(m draw.Image, colour image.Image, s string, x, y, size float64, bold bool) {
	v := vector.NewRasterizer(Width, Height)
	for _, r := range s {
		g := f.glyph(r, bold)
		at := func(i int) (float32, float32) {
			return float32(x + float64(whole(g.path[i]))*size/1000), float32(y + float64(whole(g.path[i+1]))*size/1000)
		}
		for i := 0; i < len(g.path); {
			switch g.path[i] {
			case "M":
				v.ClosePath()
				v.MoveTo(at(i + 1))
				i += 3
			case "L":
				v.LineTo(at(i + 1))
				i += 3
			case "Q":
				bx, by := at(i + 1)
				cx, cy := at(i + 3)
				v.QuadTo(bx, by, cx, cy)
				i += 5
			default:
				i = len(g.path)
			}
		}
		v.ClosePath()
		x += g.advance * size / 1000
	}
	v.Draw(m, m.Bounds(), colour, image.Point{})
}
