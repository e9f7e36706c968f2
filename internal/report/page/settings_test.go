package page

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Many settings as planned are folded, and so are defaults. Differences are never folded.
func TestSettingsFolded(t *testing.T) {
	all := []settingView{{Of: "a", Key: "mtu", Want: "9000", Have: "1500", Differs: true}}
	for range fewAsPlanned {
		all = append(all, settingView{Of: "a", Key: "x", Want: "1", Have: "1"})
	}
	if others, same := asPlanned(all); len(others) != len(all) || same != nil {
		t.Error("few are folded")
	}
	if others, same := asPlanned(append(all, all[1])); len(others) != 1 || !others[0].Differs ||
		len(same) != fewAsPlanned+1 {
		t.Errorf("%v, %v", others, same)
	}
	var free []settingView
	for range fewUnasked {
		free = append(free, settingView{Want: notAsked, Have: "1"})
	}
	if yes, no := asked(append(free, all[0])); len(yes) != fewUnasked+1 || no != nil {
		t.Error("few are folded")
	}
	if yes, no := asked(append(free, free[0], all[0])); len(yes) != 1 || len(no) != fewUnasked+1 {
		t.Errorf("%v, %v", yes, no)
	}
}

// A sweep has one row for each setting, and a value that was not in effect as requested keeps its own.
func TestSettingsSeveral(t *testing.T) {
	r := &record.Run{}
	for i := range 12 {
		size := unit.Bytes(512 << i).String()
		r.Experiments = append(r.Experiments,
			&record.Experiment{Name: "iscsi", Settings: map[string]string{"size": size, "depth": "8"},
				InEffect: map[string]string{"window": fmt.Sprintf("%d ms", 800+i), "depth": unit.If(i == 3, "4", "8")}})
	}
	got, _ := settingViews(r)
	var text []string
	for _, v := range got {
		text = append(text, fmt.Sprintf("%s: %s: %s %v", v.Key, v.Want, v.Have, v.Differs))
	}
	want := "depth: 8: 8 false; size: 512 B .. 1 MiB, 12 values: not known false; window: default: 800 ms .. 811 " +
		"ms, 12 values false; depth: 8: 4 true"
	if s := strings.Join(text, "; "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}
