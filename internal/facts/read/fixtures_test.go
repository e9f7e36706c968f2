package read

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/golden"
	"linerate/internal/testenv"
)

// load reads a fixture of testdata.
func load(t testing.TB, name string) *facts.Facts {
	t.Helper()
	text := testenv.Must(os.ReadFile("testdata/" + name))(t)
	f := testenv.Must(Parse(text))(t)
	return f
}

// Every fact of every fixture is the one of its golden file: outputs of real machines, of other releases and of their
// makers' documents.
func TestFixtures(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		name = filepath.Base(name)
		t.Run(name, func(t *testing.T) {
			golden.Compare(t, "testdata/facts/"+strings.TrimSuffix(name, "txtar")+"txt", lines("", *load(t, name)))
		})
	}
}

// lines are the facts of a structure: a line for each field, or for each element of a list or map.
func lines(prefix string, of any) (out string) {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		f, name := v.Field(i), prefix+v.Type().Field(i).Name
		switch {
		case f.IsZero():
		case f.Kind() == reflect.Slice && f.Len() > 0:
			for k := range f.Len() {
				if e := f.Index(k); prefix == "" && e.Kind() == reflect.Struct && e.NumField() > 12 {
					out += fmt.Sprintf("%s[%d]\n", name, k) + lines("\t", e.Interface())
				} else {
					out += fmt.Sprintf("%s[%d] %s\n", name, k, text(e))
				}
			}
		case f.Kind() == reflect.Map && f.Len() > 0:
			out += fmt.Sprintf("%s %s\n", name, text(f))
		case prefix == "" && reflect.Indirect(f).Kind() == reflect.Struct && !f.MethodByName("Get").IsValid() &&
			!f.MethodByName("String").IsValid():
			out += name + "\n" + lines("\t", reflect.Indirect(f).Interface())
		default:
			out += fmt.Sprintf("%s %s\n", name, text(f))
		}
	}
	return out
}

// text is a value in one line, without what is zero. What is not known is ?, with the reason.
func text(v reflect.Value) string {
	if get := v.MethodByName("Get"); get.IsValid() && v.MethodByName("IsKnown").IsValid() {
		if got := get.Call(nil); got[1].Bool() {
			return text(got[0])
		}
		return fmt.Sprintf("?%q", v.MethodByName("Why").Call(nil)[0])
	}
	if s, ok := v.Interface().(fmt.Stringer); ok && !(v.Kind() == reflect.Pointer && v.IsNil()) {
		return s.String()
	}
	var parts []string
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return text(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				parts = append(parts, v.Type().Field(i).Name+":"+text(f))
			}
		}
		return "{" + strings.Join(parts, " ") + "}"
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			parts = append(parts, text(v.Index(i)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.Map:
		for _, k := range v.MapKeys() {
			parts = append(parts, fmt.Sprint(k)+":"+text(v.MapIndex(k)))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, " ") + "}"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v)
}
