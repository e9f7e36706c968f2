package picture

import "linerate/internal/report/style"

// Width and Height are the size of a picture in pixels.
const (
	Width  = 1200
	Height = 630
)

// tone is what a colour is for.
type tone int

const (
	background tone = iota
	ink             // text
	faint           // less important text
	track           // the empty part of a lane
	fill            // the filled part of a lane, and the frames of the machines
	accent          // the bottleneck
)

// colours returns the colours of a light or a dark picture, those of the page.
func colours(dark bool) map[tone]string {
	c := style.Of(dark)
	return map[tone]string{background: c.Page, ink: c.Ink, faint: c.Soft, track: c.Grid, fill: c.Fill, accent: c.Accent}
}

// The sizes of type.
const (
	small  = 26
	medium = 36
	large  = 92
)

// box is a filled rectangle.
type box struct {
	x, y, w, h float64
	tone       tone
}

// text is one line of text. x is its left end, its middle or its right end, y its baseline.
type text struct {
	x, y   float64
	anchor int // -1 left, 0 middle, 1 right
	size   float64
	bold   bool
	tone   tone
	words  string
	within float64 // the room that it has
}

// left returns the left end of a text of this width.
func (t text) left(width float64) float64 {
	switch t.anchor {
	case 0:
		return t.x - width/2
	case 1:
		return t.x - width
	}
	return t.x
}

// scene is a picture before it is drawn: boxes first, then texts.
type scene struct {
	title, description string
	dark               bool
	boxes              []box
	texts              []text
}

func (s *scene) box(x, y, w, h float64, t tone) {
	if w > 0 && h > 0 {
		s.boxes = append(s.boxes, box{x, y, w, h, t})
	}
}

// frame draws the outline of a rectangle.
func (s *scene) frame(x, y, w, h, thick float64, t tone) {
	s.box(x, y, w, thick, t)
	s.box(x, y+h-thick, w, thick, t)
	s.box(x, y+thick, thick, h-2*thick, t)
	s.box(x+w-thick, y+thick, thick, h-2*thick, t)
}
