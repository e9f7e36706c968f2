package report

import (
	"slices"
	"strings"

	"linerate/internal/record"
)

// plainWords say what a verdict means for somebody who has never heard of windows, queues and offloads; empty: its sentence is plain enough.
func plainWords(id string) string {
	switch id {
	case "above-ceiling":
		return "No part of this path can carry that much. Either a part is not what was said of it, or something else was counted as well."
	case "duplicate-subnet", "wrong-nic":
		return "The machine chose another of its network connections than the one that this link was built for. What was measured is that other way."
	case "local-shaper":
		return "Somebody told the sending machine to send no faster than this. The cards and the cable could do more."
	case "link":
		return "The cable and its ports are full. That is what they are for: nothing is wrong."
	case "pcie":
		return "The card cannot get data in or out of its machine faster than its slot allows. The cable could carry more."
	case "app-limited":
		return "The network is ready for more, and the program that sends does not hand over more."
	case "firewall-cost":
		return "Every packet is held against a long list of rules, one after another, and the processor is busy with that."
	case "offloads-off":
		return "The card could cut large blocks of data into packets by itself. That is switched off, so that the processor does it packet by packet, and it is full."
	case "window-scaling-off", "receive-window-cap":
		return "The receiving machine tells the sender how much may be on its way before it has to wait for an answer. That is too little here, and the link stands idle meanwhile."
	case "send-buffer-cap":
		return "The sending machine may keep only little data on its way before it has to wait for an answer. Meanwhile the link stands idle."
	case "udp-socket-overflow":
		return "The data arrive at the machine, and the program there takes them too slowly: what finds no room to wait is thrown away."
	case "policer":
		return "Something on the way throws away whatever comes faster than a certain rate. Slower than that, everything arrives."
	case "shallow-buffer":
		return "A device on the way has too little room for data that wait, and throws away what it cannot hold."
	case "random-loss":
		return "A part of the data gets lost on the way, whether the link is busy or not: a bad cable, module or port does that."
	case "mtu-one-sided", "small-segments":
		return "Data go in smaller packets than the network was built for, so that more of it is packaging."
	case "link-speed":
		return "The two ends agreed on a lower speed than their ports are made for: a bad cable or module does that."
	case "pcie-degraded", "pcie-upstream":
		return "The card's way into its machine is narrower than it should be: data wait there, and the cable could carry more."
	case "pause":
		return "The other end of the cable keeps telling this machine to wait. What is slow is behind it."
	case "other-traffic":
		return "The cable is full, but not of this: something else uses it at the same time."
	case "bit-errors":
		return "Data arrive damaged and have to be sent again: a cable, a plug or a module is bad."
	case "rx-ring":
		return "The receiving card had nowhere to put what arrived, and threw it away; it had to be sent again."
	case "backlog-drop":
		return "The data reached the receiving machine, and the line before its processor was too short to keep them until they were looked at."
	case "vlan-mismatch":
		return "Both machines write a number on what they send that says which network it is of, and they write different numbers: neither takes up what the other says."
	case "hash-polarisation":
		return "Several cables are joined to one here, and each connection goes over one of them. All of these chose the same one, and the others have nothing to do."
	case "lag-member-down":
		return "Several cables are joined to one here, and one of them is out. The others are full with what it should carry."
	case "conntrack-full":
		return "A machine keeps a list of all its connections, and the list is full: those that it knows go on, and new ones are not made."
	case "socket-pacing", "cwnd-clamp":
		return "Something on the sending machine tells the connection to go no faster. The network could do more."
	case "cpu-quota":
		return "The program may use only a part of a processor (a container's or a virtual machine's limit), and it has used it up."
	case "tx-queue":
		return "The sending machine keeps only a few packets ready for its card, so that the card stands idle between them."
	case "slow-receiver":
		return "The program that receives takes the data too slowly, and everything waits for it."
	case "duplicate-address":
		return "Two machines have the same address on this network. What is meant for one of them arrives at the other."
	case "overlay":
		return "The data do not go straight over the link, but through a tunnel, which a processor packs and unpacks packet by packet."
	case "one-rx-queue", "vnic-single-queue":
		return "One part of the processor does all the work of receiving and is full, while the others have time."
	case "numa-remote":
		return "The card is plugged in at one half of the machine, and the other half does its work: that half is full, and the near one has time."
	case "duplex":
		return "The two ends of this link take turns instead of sending at the same time, and keep getting in each other's way."
	case "pcie-payload":
		return "The card and its machine could pass data on in larger portions. With the small ones that are set, too much goes into their packaging."
	case "heat":
		return "Something in the machine is too hot and slows itself down."
	case "cpu-power-state":
		return "The processor is told to save power, and works slower than it could while it has more to do than it gets to."
	case "switch-cpu-forwarding":
		return "The switch passes the data on with its small processor instead of with the chip that is made for it, and that processor is full."
	case "iommu":
		return "The machine looks up every address that the card wants to use. What that costs only a measurement without it shows."
	case "arp-flux":
		return "The receiving machine answers on the wrong one of its network connections, so that the data arrive over that one."
	case "cpu-per-request", "cpu-per-packet", "cpu-copy":
		return "The processors have no time left: they, and not the network, are the limit."
	case "reordering":
		return "Packets overtake each other on the way, and the sender takes the late ones for lost and slows down."
	case "deep-buffer":
		return "Something on the way is slower than this link, and keeps a long queue: everything arrives, but late."
	case "ce-marks":
		return "A switch asks the sender to slow down before the link is full."
	case "one-connection":
		return "A single connection cannot do more here, and several together can."
	case "path":
		return "What holds it back lies between the two machines, and everything that goes this way has to share it."
	case "mtu-black-hole":
		return "Large packets vanish on the way, and small ones arrive: some device in between takes smaller packets than both ends were told."
	case "core":
		return "The part of the processor that did the work was busy with something else, or far from the card. Another part does better."
	case "media-limit":
		return "The drive has something to do all the time: it is the limit, and not the network."
	case "page-cache-read":
		return "The data were in a machine's memory already, and the drive was hardly asked. The figure says nothing of the drive."
	case "page-cache-write":
		return "A machine's memory took the data, and the drive gets them later. The figure says nothing of the drive."
	case "source-generator":
		return "The program that writes is busy with making what it writes. The storage waits for it, and could take more."
	case "burst-cache":
		return "The drive has a small fast part in front, which was full after a while. From then on it is as slow as the rest of it."
	case "sync-writes":
		return "Each write waits until it is safe on the drive before the next one begins, and that takes longer than the writing."
	case "smb-signing", "smb-encryption":
		return "Everything that goes to this share is signed or encrypted, by one part of a processor, which is full while the others have time."
	case "smb-single-channel":
		return "Everything that goes to this share goes over one connection, which one part of a processor works for, and that is full while the others have time."
	case "unexplained":
		return "Something holds it back, and what was read on both machines does not say what. That is no fault of yours, and no guess is made."
	}
	return ""
}

// Fix and Undo are the steps of a verdict, each under what it is and where it is typed.
func (c cause) Fix() []step  { return steps(c.Verdict, c.Verdict.Fix, "What to do") }
func (c cause) Undo() []step { return steps(c.Verdict, c.Verdict.Undo, "To take it back") }

// Next are the steps that would say more: a command of linerate itself is one there.
func (c cause) Next() []step {
	out := steps(c.Verdict, c.Verdict.NextExperiment, "To find out more")
	for i := range out {
		out[i].Command = out[i].Command || strings.HasPrefix(out[i].Text, "linerate ")
		// What stands in brackets behind a command is for who reads it, and no shell takes it.
		if text, said, ok := strings.Cut(out[i].Text, "   ("); ok && out[i].Command && strings.HasSuffix(said, ")") {
			out[i].Text = text
			out[i].Label = strings.TrimPrefix(out[i].Label+", "+strings.TrimSuffix(said, ")"), ", ")
		}
	}
	return out
}

// step is a command to copy, or a sentence, with what stands above it; empty: it belongs to the one before.
type step struct {
	Label, Text string
	Command     bool
}

// Sentence is a step that is none to copy, as a sentence of its own.
func (s step) Sentence() string { return sentence(s.Text) }

// sentence begins with a capital and ends with a point, unless it leads to what comes next. A word of a machine keeps its form.
func sentence(text string) string {
	text = clean(text)
	first, _, _ := strings.Cut(text, " ")
	if first != "" && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz,:'") == "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if text != "" && !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func steps(v *record.Verdict, text, label string) (out []step) {
	at := ""
	for i, s := range record.StepsOf(text) {
		on := typedOn(v, s)
		if i > 0 {
			label = ""
			if on != "" && on != at {
				label = "On " + on
			}
		} else if on != "" {
			label += ", on " + on
		}
		if s.Command {
			at = on
		}
		out = append(out, step{label, s.Text, s.Command})
	}
	return out
}

// typedOn is the host that a step is typed on; empty: it is a sentence, gets to its host by itself, or nobody says.
func typedOn(v *record.Verdict, s record.Step) string {
	switch {
	case !s.Command || record.FindsHost(s.Text):
		return ""
	case s.Host != "":
		return clean(s.Host)
	}
	return fixedOn(v)
}

// fixedOn is the host that a verdict's component is of: "nas" of "nas", "nas: receive window" or "tbf on nic0 of nas".
func fixedOn(v *record.Verdict) string {
	if host, _, _ := strings.Cut(v.Component, ": "); !strings.Contains(host, " ") {
		return clean(host)
	}
	if v.Limiter == "local-shaper" {
		if _, host, ok := strings.Cut(v.Component, " of "); ok && !strings.Contains(host, " ") {
			return clean(host)
		}
	}
	return ""
}

// firstCause is the verdict that the run's sentence begins with, nil if it is of none that something can be done about.
func firstCause(r *record.Run) *cause {
	for _, c := range causes(r) {
		if s := strings.TrimSuffix(clean(c.Verdict.Sentence), "."); s != "" && strings.HasPrefix(clean(r.Sentence), s) && c.Verdict.Fix != "" {
			return &c
		}
	}
	return nil
}

// Plain is what the verdict means.
func (c cause) Plain() string {
	if c.Verdict.Limiter == "one-connection" && strings.Contains(c.Verdict.Sentence, "too few requests") { // of storage
		return "Little is asked of the storage at once, and what is asked waits for its way there and back. More requests at once can do more."
	}
	return plainWords(c.Verdict.Limiter)
}

// Sure says how sure the verdict is, and by what.
func (c cause) Sure() string {
	switch c.Verdict.Confidence {
	case "proved":
		if c.Verdict.Identity != nil {
			return "Proved: two figures that have to be equal if this is the cause are equal, within 5 %."
		}
		return "Proved."
	case "likely":
		return "Likely: two independent pieces of evidence speak for it, and none against."
	}
	return ""
}

// Before and Idle say whether any evidence has a value of that column.
func (c cause) Before() bool {
	return slices.ContainsFunc(c.Verdict.Evidence, func(e record.Evidence) bool { return e.Before != nil })
}

// Idle is as Before.
func (c cause) Idle() bool {
	return slices.ContainsFunc(c.Verdict.Evidence, func(e record.Evidence) bool { return e.IdlePerSecond != nil })
}
