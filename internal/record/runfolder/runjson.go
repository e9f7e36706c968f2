package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"linerate/internal/record"
	"slices"
)

// head is a run without its experiments, which are written after it one by one.
type head struct {
	*record.Run
	Experiments json.RawMessage `json:"experiments,omitempty"` // hides those of the run
	LeftOut     string          `json:"left_out,omitempty"`
}

// writeRun writes a run as one JSON object, its experiments last and one at a time, each as form returns it: a run of
// ten thousand experiments is never held as text, and a file that is cut off still has everything else. leftOut names
// what form omits.
func writeRun(w io.Writer, r *record.Run, leftOut string, form func(*record.Experiment) *record.Experiment) error {
	run := *r
	run.Schema = record.RunSchema
	run.Files = nil // they are files of the folder
	b, err := record.Encode(head{Run: &run, LeftOut: leftOut})
	if err != nil {
		return err
	}
	b = append(bytes.TrimSuffix(b, []byte("}\n")), `,"experiments":[`...)
	if _, err := w.Write(b); err != nil {
		return err
	}
	for i, e := range r.Experiments {
		if b, err = record.Encode(form(e)); err != nil {
			return fmt.Errorf("experiments[%d]: %w", i, err)
		}
		b = bytes.TrimRight(b, "\n")
		if i < len(r.Experiments)-1 {
			b = append(b, ',')
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

// readRun reads a run as one JSON object, an experiment at a time. With errDamaged it returns the part that could be
// read. An unknown schema is refused. With brief, experiments are reduced by thin and share equal values, which must
// not be changed.
func readRun(in io.Reader, brief bool) (r *record.Run, leftOut string, err error) {
	d := json.NewDecoder(in)
	r = &record.Run{}
	var rest bytes.Buffer // the object without its experiments
	var all []*record.Experiment
	common := newShared()
	read := func() (*record.Experiment, error) {
		if brief {
			return common.decode(d)
		}
		var e *record.Experiment
		err := d.Decode(&e)
		return e, err
	}
	older := false
	damage := object(d, func(key string) error {
		if key == "experiments" && older {
			return refused{writtenBefore("")}
		}
		if key == "experiments" {
			return list(d, func() error {
				e, err := read()
				if err == nil && e != nil {
					if brief {
						strip(e, true)
						e.Repeats = slices.Clone(e.Repeats) // frees the spare capacity of the decoded list
					}
					all = append(all, e)
				}
				return err
			})
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		if key == "schema" {
			var schema string
			json.Unmarshal(raw, &schema)
			err := checkSchema(schema, record.RunSchema)
			if older = errors.Is(err, errOlder); err != nil && !older {
				return refused{err}
			}
		}
		if key == "version" && older { // a record says its version behind its schema, before everything large
			var version string
			json.Unmarshal(raw, &version)
			return refused{writtenBefore(version)}
		}
		name, err := json.Marshal(key)
		rest.WriteString(",")
		rest.Write(name)
		rest.WriteString(":")
		rest.Write(raw)
		return err
	})
	var stop refused
	if errors.As(damage, &stop) {
		return nil, "", stop
	}
	h := head{Run: r}
	err = json.Unmarshal(append(append([]byte("{"), bytes.TrimPrefix(rest.Bytes(), []byte(","))...), '}'), &h)
	if older {
		return nil, "", refused{writtenBefore("")}
	}
	if damage == nil {
		if damage = err; r.Schema == "" {
			return nil, "", refused{checkSchema("", record.RunSchema)}
		}
	}
	r.Experiments = withoutNil(all)
	return r, h.LeftOut, damage
}

var errShape = errors.New("it is not one JSON object as it should be")

// object calls use for each value of the next object.
func object(d *json.Decoder, use func(key string) error) error {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return orShape(err)
	}
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return orShape(err)
		}
		if err := use(key); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return ended(err)
}

// list calls use for each item of the next list, which may be null. It skips an item of the wrong type, and returns the
// first such error at the end.
func list(d *json.Decoder, use func() error) error {
	t, err := d.Token()
	if err != nil || t != nil && t != json.Delim('[') {
		return orShape(err)
	}
	if t == nil {
		return nil
	}
	var first error
	for d.More() {
		err := use()
		var odd *json.UnmarshalTypeError
		if errors.As(err, &odd) {
			if first == nil {
				first = err
			}
			continue
		}
		if err != nil {
			return err
		}
	}
	if _, err = d.Token(); err != nil {
		return ended(err)
	}
	return first
}

func orShape(err error) error {
	if err == nil {
		return errShape
	}
	return ended(err)
}

// ended turns io.EOF, which a decoder returns even in the middle of a value, into an error.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
