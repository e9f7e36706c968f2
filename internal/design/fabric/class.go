package fabric

import (
	"fmt"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

func (d *decoder) allClasses(n *node) {
	sum := 0.0
	d.each(n, "class", single(), func(name, _ string, p pair, _, _ step) {
		c := Class{Name: name, DSCP: -1, At: p.key.at}
		f, ok := d.fields(p.value, "class", "class "+name, p.key.at)
		if !ok {
			return
		}
		if !f.has("priority") {
			f.bad(diag.KeyMissing, "priority", "the class has no priority", "priorities are 0 to 7 (IEEE 802.1Q)",
				"write priority: 3")
		}
		c.Priority = f.number("priority", 0, 7, 0, "a priority (IEEE 802.1Q)")
		c.DSCP = f.number("dscp", 0, 63, -1, "a DSCP (RFC 2474)")
		c.Lossless, c.ECN = f.flag("lossless"), f.flag("ecn")
		broken := false
		c.Share = parsed(f, "share", func(s string) (float64, error) {
			v, err := unit.ParsePercent(s)
			broken = err != nil
			return v, err
		})
		c.Match = f.text("match")
		if c.Share > 1 || f.has("share") && c.Share == 0 && !broken {
			f.bad(diag.ValueNumber, "share", fmt.Sprintf("a share of %g %% is out of range", c.Share*100),
				"a share is above 0 and up to 100 % of the link", "write share: 60%")
			c.Share = 0
		}
		if sum += c.Share; sum > 1.000001 && c.Share > 0 {
			f.bad(diag.ValueNumber, "share", fmt.Sprintf("the shares of the classes add up to %g %%", sum*100),
				"all classes share 100 % of the link", "lower one (classes without a share divide the rest)")
		}
		for _, o := range d.f.Classes {
			if o.Priority == c.Priority && f.has("priority") {
				f.bad(diag.ValueTwice, "priority", fmt.Sprintf("class %s (line %d) has priority %d too", o.Name, o.At.Line,
					o.Priority),
					"a priority belongs to one class", "choose another from 0 to 7")
			}
			if o.DSCP == c.DSCP && c.DSCP >= 0 {
				f.bad(diag.ValueTwice, "dscp", fmt.Sprintf("class %s (line %d) has DSCP %d too", o.Name, o.At.Line, o.DSCP),
					"a DSCP belongs to one class", "choose another from 0 to 63")
			}
		}
		d.f.Classes = append(d.f.Classes, c)
	})
}
