package report

import (
	"reflect"

	"linerate/internal/record"
)

// Kinds are the types of what this package writes as JSON, by the kind in "linerate/KIND/1".
func Kinds() map[string]reflect.Type {
	type selftest struct {
		*record.Instrument
	}
	return map[string]reflect.Type{
		"run": reflect.TypeFor[record.Run](), "event": reflect.TypeFor[Event](), "plan": reflect.TypeFor[planJSON](), "plan-compare": reflect.TypeFor[planCompareJSON](),
		"suggest": reflect.TypeFor[suggestJSON](), "compare": reflect.TypeFor[ComparisonSet](), "selftest": reflect.TypeFor[selftest](),
	}
}
