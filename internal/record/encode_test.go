package record_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/record/recordtest"
)

func TestNotAFigure(t *testing.T) {
	for want, spoil := range map[string]func(*record.Run){
		"experiments[0].goodput.median": func(r *record.Run) {
			r.Experiments[0].Goodput.Median = math.NaN()
		},
		"experiments[0].latency.curve[0].seconds": func(r *record.Run) {
			r.Experiments[0].Latency.Curve[0].Seconds = math.Inf(1)
		},
		"experiments[0].verdict.share_of_ceiling": func(r *record.Run) {
			r.Experiments[0].Verdict.ShareOfCeiling = new(math.Inf(-1))
		},
		"experiments[0].ceiling.hops[0].bits_per_second": func(r *record.Run) {
			r.Experiments[0].Ceiling.Hops[0].Rate = unit.Known(unit.BitRate(math.NaN()))
		},
		"experiments[0].ceiling.hops[0].inputs[0].value": func(r *record.Run) {
			r.Experiments[0].Ceiling.Hops[0].Inputs[0].Value = math.NaN()
		},
		"experiments[0].repeats[1].streams[0].socket.rtt": func(r *record.Run) {
			r.Experiments[0].Repeats[1].Streams[0].Socket.RTT = new(math.NaN())
		},
		"lab.scale":                     func(r *record.Run) { r.Lab.Scale = math.NaN() },
		"plan.links[0].bits_per_second": func(r *record.Run) { r.Plan.Links[0].Rate = unit.BitRate(math.Inf(1)) },
	} {
		r := recordtest.Run(t)
		r.Experiments[0].Repeats = []record.Repeat{recordtest.Repeat(0), recordtest.Repeat(1)}
		spoil(r)
		if _, err := r.JSON(); err == nil || !strings.HasPrefix(err.Error(), want+" is ") {
			t.Errorf("%v; want it to name %s", err, want)
		}
	}
	if _, err := record.Encode(map[string]any{"b": map[string]float64{"c": math.NaN()}}); err == nil ||
		!strings.HasPrefix(err.Error(), "b.c is NaN") {
		t.Errorf("a map: %v", err)
	}
}

// TestContractKeys keeps the keys that scripts may rely on (contract.md section 3).
func TestContractKeys(t *testing.T) {
	r := recordtest.Run(t)
	r.Experiments[0].Repeats = []record.Repeat{recordtest.Repeat(0)}
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var top map[string]any
	if err := json.Unmarshal(b, &top); err != nil {
		t.Fatal(err)
	}
	if top["schema"] != "linerate/run/2" {
		t.Errorf("schema %v", top["schema"])
	}
	estimate := "{median,low,high,interval,repeats}"
	for at, keys := range map[string]string{
		"":        "schema,experiments,goals,lab,version,arguments,fabric_text,plan",
		"lab":     "scale,shaped,emulated",
		"goals.0": "name,want,have,met",
		"goals.1": "met",
		"experiments.0": "id,name,method,from,to,ends,direction,variant,settings,in_effect,repeats,goodput,iops," +
			"bytes_per_second,latency,figure,cpu,ceiling,verdict",
		"experiments.0.goodput": estimate, "experiments.0.iops": estimate, "experiments.0.bytes_per_second": estimate,
		"experiments.0.latency":                 "p50,p99,p999,p9999,max",
		"experiments.0.cpu.0":                   "host,core,user,system,softirq",
		"experiments.0.ceiling":                 "bits_per_second,component,layer,hops",
		"experiments.0.ceiling.hops.0":          "component,layer,bits_per_second,formula,inputs",
		"experiments.0.ceiling.hops.0.inputs.0": "name,value,origin",
		"experiments.0.verdict": "sentence,limiter,component,share_of_ceiling,confidence,evidence," +
			"identity,candidates,next_experiment,fix,undo,next_ceiling,unknown",
		"experiments.0.verdict.evidence.0": "host,source,counter,before,after,idle_per_second,unit",
		"experiments.0.verdict.identity":   "left,right,difference",
	} {
		object, ok := dig(top, at).(map[string]any)
		if !ok {
			t.Errorf("%q is not an object", at)
			continue
		}
		for _, key := range strings.Split(strings.Trim(keys, "{}"), ",") {
			if _, ok := object[key]; !ok {
				t.Errorf("%s has no %q", at, key)
			}
		}
	}
	if met, ok := dig(top, "goals.1").(map[string]any)["met"]; !ok || met != nil {
		t.Errorf("a goal that is not known has met = %v", met)
	}
	if rate := dig(top, "experiments.0.ceiling.hops.1").(map[string]any)["bits_per_second"]; rate != nil {
		t.Errorf("a hop that is not known has the rate %v", rate)
	}
}

func dig(v any, at string) any {
	for _, key := range strings.FieldsFunc(at, func(r rune) bool { return r == '.' }) {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			i := int(key[0] - '0')
			if i >= len(x) {
				return nil
			}
			v = x[i]
		}
	}
	return v
}

func TestRoundTrip(t *testing.T) {
	r := recordtest.Run(t)
	r.Experiments[0].Repeats = []record.Repeat{recordtest.Repeat(0)}
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back record.Run
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	again, err := back.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != string(again) {
		t.Errorf("the run changes when it is read back:\n%s\n%s", b, again)
	}
	if !strings.Contains(string(b), "<&>") {
		t.Error("the fabric's text is escaped for HTML")
	}
	if !back.Plan.Totals[0].Amount.Same(r.Plan.Totals[0].Amount) {
		t.Errorf("%v comes back as %v", r.Plan.Totals[0].Amount, back.Plan.Totals[0].Amount)
	}
}

func TestEmptyRunHasNoNullLists(t *testing.T) {
	b, err := (&record.Run{Experiments: []*record.Experiment{nil, {}}}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var top map[string]any
	if err := json.Unmarshal(b, &top); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"experiments", "goals", "hosts", "experiments.0.ends", "experiments.0.repeats",
		"experiments.0.cpu"} {
		if v, ok := dig(top, at).([]any); !ok {
			t.Errorf("%s is %v", at, v)
		}
	}
	if n := len(top["experiments"].([]any)); n != 1 {
		t.Errorf("%d experiments", n)
	}
}

func TestExperimentID(t *testing.T) {
	base := func() *record.Experiment { return recordtest.Run(t).Experiments[0] }
	id := record.ExperimentID(base())
	if len(id) != 10 {
		t.Errorf("id %q", id)
	}
	seen := map[string]string{id: "the same"}
	for name, change := range map[string]func(*record.Experiment){
		"method":       func(e *record.Experiment) { e.Method = "latency" },
		"from":         func(e *record.Experiment) { e.From = "lab" },
		"ends swapped": func(e *record.Experiment) { e.From, e.To = e.To, e.From },
		"port":         func(e *record.Experiment) { e.Ends[0].Port = "desk.m1.2" },
		"direction":    func(e *record.Experiment) { e.Direction = "in" },
		"variant":      func(e *record.Experiment) { e.Variant = "" },
		"axis":         func(e *record.Experiment) { e.Settings["streams"] = "8" },
		"axis more":    func(e *record.Experiment) { e.Settings["mtu"] = "9000" },
		"axis moved":   func(e *record.Experiment) { e.Settings = map[string]string{"streams": "4s", "ize": "128KiB"} },
	} {
		e := base()
		change(e)
		got := record.ExperimentID(e)
		if other, ok := seen[got]; ok {
			t.Errorf("%s has the id of %s", name, other)
		}
		seen[got] = name
	}
	for name, change := range map[string]func(*record.Experiment){
		"name":      func(e *record.Experiment) { e.Name = "renamed" },
		"interface": func(e *record.Experiment) { e.Ends[0].Interface, e.Ends[0].Address = "eth7", "10.1.1.1" },
		"figures":   func(e *record.Experiment) { e.Goodput, e.Verdict, e.InEffect = nil, nil, nil },
		"map order": func(e *record.Experiment) {
			e.Settings = map[string]string{}
			for _, k := range []string{"size", "streams"} {
				e.Settings[k] = base().Settings[k]
			}
		},
	} {
		e := base()
		change(e)
		if got := record.ExperimentID(e); got != id {
			t.Errorf("%s changes the id", name)
		}
	}
	// The id stays the same in all versions, because old and new runs are matched by it.
	if want := record.ExperimentID(&record.Experiment{Method: "throughput", From: "a", To: "b"}); want != goldenID {
		t.Errorf("id %s; it was %s", want, goldenID)
	}
}

const goldenID = "ed4fe9ab7c"
