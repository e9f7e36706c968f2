package report

// wireClass is the look of a cable by its medium.
func wireClass(media string) string {
	switch media {
	case "dac", "aoc", "fiber", "pair":
		return "wire " + media
	}
	return "wire other"
}

// mediumWords says what a medium is, in the words of a legend.
func mediumWords(media string) string {
	switch media {
	case "dac":
		return "dac: copper, plugs fixed"
	case "aoc":
		return "aoc: fibre, plugs fixed"
	case "fiber":
		return "fiber: fibre, without its plugs"
	case "pair":
		return "twisted pair"
	}
	return "medium not known"
}

const legendLine, legendGap = 46.0, 22.0

func legendWidth(media []string) float64 {
	w := -legendGap
	for _, m := range media {
		w += legendLine + 8 + textWidth(mediumWords(m), false) + legendGap
	}
	return max(w, 0)
}

// legend shows how the media look, in one line.
func (s *svg) legend(media []string, x, y float64) {
	for _, m := range media {
		s.way(wireClass(m), [][2]float64{{x, y - textRise/2}, {x + legendLine, y - textRise/2}}, 3)
		x += legendLine + 8
		s.text("small", start, x, y, mediumWords(m))
		x += textWidth(mediumWords(m), false) + legendGap
	}
}
