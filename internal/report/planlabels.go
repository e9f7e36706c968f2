package report

// labelSize is one size of labels to print.
type labelSize struct {
	Class, Name, Size string // Size: width and height
	For               string // which cables it goes around
	Whole             bool   // it has the room for the cable's kind, interfaces and the address
}

// labelSizes are the sizes of the page of labels. The middle of a label lies around the cable: 16 mm around 5 mm, 11 mm
// around 3.5 mm.
func labelSizes() []labelSize {
	return []labelSize{
		{Class: "wide", Name: "Wide labels", Size: "92 x 12 mm", For: "for cables up to 5 mm thick", Whole: true},
		{Class: "small", Name: "Small labels", Size: "61 x 9 mm", For: "for cables up to 3.5 mm thick"},
	}
}
