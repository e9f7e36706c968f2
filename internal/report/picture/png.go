package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
)

// png writes a scene as PNG.
func (s *scene) png(w io.Writer, f *fonts) error {
	palette := map[tone]image.Image{}
	for t, hex := range colours(s.dark) {
		c, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
		if err != nil {
			return fmt.Errorf("the colour %s: %w", hex, err)
		}
		palette[t] = image.NewUniform(color.RGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 255})
	}
	colour := func(t tone) image.Image { return palette[t] }
	m := image.NewRGBA(image.Rect(0, 0, Width, Height))
	round := func(v float64) int { return int(math.Round(v)) }
	for _, b := range s.boxes {
		at := image.Rect(round(b.x), round(b.y), round(b.x+b.w), round(b.y+b.h))
		draw.Draw(m, at, colour(b.tone), image.Point{}, draw.Src)
	}
	for _, t := range s.texts {
		x := t.left(f.width(t.words, t.size, t.bold))
		f.draw(m, colour(t.tone), t.words, x, t.y, t.size, t.bold)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, m); err != nil {
		return fmt.Errorf("write the PNG: %w", err)
	}
	return nil
}
