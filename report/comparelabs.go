package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/result"
)

// labsApart says at which scales the labs of two runs were, and what to type to have both at one. It is the smaller one: whether this
// machine carries the greater is not known.
func labsApart(a, b *result.Run) string {
	s := fmt.Sprintf("the lab of run %s is at %s, that of run %s at %s: rates differ by that alone", clean(a.ID), orOne(scale(a.Lab)), clean(b.ID), orOne(scale(b.Lab)))
	again, least := a, b.Lab.Scale
	if a.Lab.Scale < least {
		again, least = b, a.Lab.Scale
	}
	if !(least > 0) || again.Lab.Scale == least {
		return s
	}
	flag := "--scale " + strconv.FormatFloat(least, 'g', -1, 64)
	s += fmt.Sprintf("; measure run %s again with %s, and they are alike", clean(again.ID), flag)
	words := again.Arguments
	if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--guests") || strings.HasPrefix(w, "--lab=") }) || len(words) < 2 {
		return s
	}
	switch {
	case words[1] == "quick":
		s += ": linerate quick --lab " + flag
	case words[1] == "run" && again.FabricPath != "":
		s += ": " + Command([]string{"linerate", "run", again.FabricPath, "--lab"}) + " " + flag
	}
	return s
}
