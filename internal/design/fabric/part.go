package fabric

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
)

// part looks up the part of an entry, or makes the described one. It returns nil if there is none or if it is wrong,
// which is then reported.
func (d *decoder) part(f *fields, kinds ...catalog.Kind) *catalog.Part {
	n := f.get("part")
	if n == nil {
		return nil
	}
	var p *catalog.Part
	switch n.kind {
	case scalar:
		p = d.findPart(n, f.subject)
	case mapping:
		p = d.writtenPart(n, f.subject, kinds)
	default:
		f.bad(diag.ValueKind, "part", "a part is a part number or keys, not "+n.describe(), "",
			"write part: PART-NUMBER, or "+
				"part: "+example("part"))
	}
	if p != nil && len(kinds) > 0 && !slices.Contains(kinds, p.Kind) {
		f.bad(diag.PartKind, "part", fmt.Sprintf("%s is not a %s but a %s", p.Name, orList(kindNames(kinds)), p.Kind),
			"this entry takes a "+orList(kindNames(kinds)),
			"choose another part: linerate parts WORD searches the catalogue")
		return nil
	}
	return p
}

func kindNames(kinds []catalog.Kind) []string {
	return xslices.Map(kinds, func(k catalog.Kind) string { return string(k) })
}

// lookup is the catalogue's result for a name.
type lookup struct {
	part *catalog.Part
	err  error
}

func (d *decoder) findPart(n *node, subject string) *catalog.Part {
	l, ok := d.found[n.text]
	if !ok {
		l.part, l.err = d.catalog.Find(n.text)
		d.found[n.text] = l
	}
	p, err := l.part, l.err
	if err == nil {
		return p
	}
	const search = "linerate parts WORD searches the catalogue"
	var nf *catalog.NotFoundError
	if !errors.As(err, &nf) {
		d.bad(diag.PartUnknown, n.at, subject, err.Error(), "", search)
		return nil
	}
	problem := d.problem(diag.PartUnknown, subject, fmt.Sprintf("no part is called %s", quote(n.text)), "", "")
	switch {
	case nf.Several:
		problem.ID = diag.PartAmbiguous
		problem.Message = fmt.Sprintf("%s is the name of several parts", quote(n.text))
		problem.Limit = "the last letters of a part number decide what a part can do"
		problem.Fix = "write " + orList(d.shownParts(nf.Names))
	case len(nf.Names) > 0:
		shown := d.shownParts(nf.Names)
		problem.Fix = "did you mean " + shown[0] + "?"
		if len(shown) > 1 {
			problem.Notes = []string{"similar: " + strings.Join(shown[1:], ", ")}
		}
	default:
		problem.Fix = search + "\nor describe it: part: " + example("part")
	}
	_, user, _ := strings.Cut(subject, " ")
	d.src.addShared(n.at, strings.ToLower(n.text), user, problem)
	return nil
}

// shownParts prints part numbers with what distinguishes the parts.
func (d *decoder) shownParts(names []string) []string {
	return xslices.Map(names, func(name string) string {
		p, err := d.catalog.Find(name)
		if err != nil {
			return name // a family
		}
		number := strings.TrimPrefix(p.Name, p.Vendor+" ")
		if about := p.Brief(); about != "" {
			number += " (" + about + ")"
		}
		return number
	})
}

func (d *decoder) writtenPart(n *node, subject string, kinds []catalog.Kind) *catalog.Part {
	key := n
	if n.of != nil {
		key = n.of
	}
	if p, ok := d.parts[key]; ok {
		return p
	}
	f, ok := d.fields(n, "part", subject+", part", n.at)
	if !ok {
		return nil
	}
	w := catalog.WrittenPart{Kind: f.text("kind"), Name: f.text("name"), Speed: f.rate("speed"),
		Ports: f.number("ports", 1, 1024, 0, "a number of ports"), Cage: f.text("cage"), Bus: f.text("bus"),
		Media: f.text("media"), Length: parsed(f, "length", unit.ParseMetres), Capacity: f.sizeOf("capacity")}
	w.RDMA = xslices.Map(f.words("rdma"), func(r *node) string { return r.text })
	w.Ends = xslices.Map(f.words("ends"), func(e *node) string { return e.text })
	if w.Kind == "" && len(kinds) > 0 {
		f.bad(diag.PartInvalid, "kind", "the described part has no kind", "", fmt.Sprintf("write kind: %s", kinds[0]))
		return nil
	}
	p, err := catalog.Written(w)
	for _, e := range flatten(err) {
		var fe *catalog.FieldError
		if !errors.As(e, &fe) {
			d.bad(diag.PartInvalid, n.at, f.subject, e.Error(), "", "")
			continue
		}
		message, fix, _ := strings.Cut(fe.Problem, "; ")
		f.bad(diag.PartInvalid, fe.Field, message, "", fix)
	}
	d.parts[key] = p
	return p
}

// flatten returns the errors that errors.Join joined.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

// price reads the price of an item: written, owned, the catalogue's, or unknown.
func (f *fields) price(key string, p *catalog.Part) Price {
	n := f.scalar(key)
	switch {
	case n == nil && p != nil && p.Price != nil:
		return Price{Money: p.Price.Money, Origin: PriceCatalogue}
	case n == nil:
		return Price{Origin: PriceUnknown}
	case n.text == "owned":
		return Price{Origin: PriceOwned}
	}
	m, err := unit.ParseMoney(n.text)
	if err != nil {
		f.d.badUnit(n.at, f.subject, key, n.text, err)
	}
	return Price{Money: m, Origin: PriceWritten}
}

// item reads a cable or spare: its keys, or only the name of its part.
func (d *decoder) item(n *node, subject string, st step) (Item, bool) {
	if n.kind == scalar {
		n = &node{kind: mapping, at: n.at, pairs: []pair{{key: &node{text: "part", at: n.at}, value: n}}}
	}
	f, ok := d.fields(n, "item", subject, n.at)
	if !ok {
		return Item{}, false
	}
	i := Item{At: n.at, Note: f.Note, Count: f.number("count", 1, 100000, 1, "a count")}
	i.Part = d.part(f)
	i.Price = f.price("price", i.Part)
	if l := f.scalar("label"); l != nil {
		f.text("label")
		i.Label, _ = d.pick(l, f.subject, st)
	}
	return i, true
}
