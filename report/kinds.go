package report

import (
	"reflect"

	"linerate/result"
)

// Kinds are the types of what this package writes as JSON, by the kind in "linerate/KIND/1".
func Kinds() map[string]reflect.Type {
	type selftest struct {
		*result.Instrument
	}
	return map[string]reflect.Type{
		"run": reflect.TypeFor[result.Run](), "event": reflect.TypeFor[Event](), "plan": reflect.TypeFor[planJSON](), "plan-compare": reflect.TypeFor[planCompareJSON](),
		"suggest": reflect.TypeFor[suggestJSON](), "compare": reflect.TypeFor[ComparisonSet](), "selftest": reflect.TypeFor[selftest](),
	}
}
