package doctor

import "strings"

var topicPower = Topic{
	ID: "governor", Why: "a processor that saves power does less for each packet, and answers later",
	host: func(g *Gathered, h *Host) []Line {
		if h.Facts == nil {
			return []Line{notKnown("its facts were not read")}
		}
		fine := notKnown("the system shows no governor: a virtual machine's clock is governed by the machine below it")
		if f := h.Facts.CPU.Frequency; f != nil {
			var names []string
			for _, v := range f.Governors {
				names = append(names, v.Name)
			}
			fine = ok("%s", strings.Join(names, ", "))
			if f.Driver != "" {
				fine.Text += " (driver " + f.Driver + ")"
			}
		} else if h.OS == "windows" {
			fine = ok("the power plan holds nothing back")
			if h.Facts.Windows == nil {
				fine = notKnown("the power plan was not read")
			}
		} else if h.OS != "linux" {
			return nil
		}
		return g.findings(h, fine, "cpu-power-state", "cpu-quota")
	},
}
