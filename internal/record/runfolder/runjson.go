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

// head is a run without its experiments, which are written behind it one by one.
type head struct {
	*record.Run
	Experiments json.RawMessage `json:"experiments,omitempty"` // hides those of the run
	LeftOut     string          `json:"left_out,omitempty"`
}

// writeRun writes a run as one JSON object, its experiments last and one at a time, each as form returns it: a run of ten thousand is
// never held as text, and one that is cut off has everything else in it. leftOut says what form leaves out.
func writeRun(w io.Writer, r *record.Run, leftOut string, form func(*record.Experiment) *record.Experiment) error {
	run := *r
	run.Schema = record.RunSchema
	run.Files = nil // of the folder
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

// readRun reads a run as one JSON object, an experiment at a time. Beside an error that damage is to blame for stands what
// could be read; a schema that is not known is refused, and nothing is returned. brief: of each experiment as little is kept as thin leaves, and what many have
// alike is one value, which must not be changed.
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
	damage := object(d, func(key string) error {
		if key == "experiments" {
			return list(d, func() error {
				e, err := read()
				if err == nil && e != nil {
					if brief {
						strip(e, true)
						e.Repeats = slices.Clone(e.Repeats) // the list that was read has room for more
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
			if err := checkSchema(schema, record.RunSchema); err != nil {
				return refused{err}
			}
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
	if damage == nil {
		if damage = err; r.Schema == "" {
			return nil, "", refused{checkSchema("", record.RunSchema)}
		}
	}
	r.Experiments = withoutNil(all)
	return r, h.LeftOut, damage
}

var errShape = errors.New("it is not one JSON object as it should be")

// object calls use at each value of the object that comes next.
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

// list calls use at each item of the list that comes next, which may be null. An item that is of another type than use
// wants was read, and is passed over; the first of these errors is returned at the end.
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

// ended tells of an end in the midst, which a decoder also calls a plain one.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
