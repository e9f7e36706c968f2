package explain

import (
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/record"
)

// Variants is Run for a run that measured several variants of a fabric: each experiment is judged with the plan of its
// variant. The goals are those of the first plan.
func Variants(plans []*plan.Plan, r *record.Run, read func(name string) ([]byte, error)) {
	by := xslices.By(plans, func(p *plan.Plan) string { return p.Variant })
	under(plans[0], by, r, read, cause.All())
}
