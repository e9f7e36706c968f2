package main

import (
	"fmt"
	"os"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
)

// factsWords sorts the words of the command line into hosts and a file: a word that ends like one, or that is one.
func (e *env) factsWords(o *factsOrder, args []string) {
	var words []string
	for _, word := range args {
		there, err := os.Stat(word)
		switch {
		case !strings.HasSuffix(word, ".yaml") && !strings.HasSuffix(word, ".yml") && (err != nil || !there.Mode().IsRegular()):
			words = append(words, word)
		case o.file != "":
			e.wrong.add(fmt.Errorf("%s and %s: one file at a time", clean(o.file), clean(word)))
		default:
			o.file = word
		}
	}
	hosts, wrong := hostWords("facts", words)
	for _, err := range wrong {
		e.wrong.add(err)
	}
	o.hosts = hosts
}

// factsPlan is what is asked: the file's plan, or the hosts that were named, of which nothing else is planned.
func (e *env) factsPlan(o factsOrder) (*plan.Plan, map[string]connect.Spec, error) {
	if o.file != "" {
		p, err := e.load(o.file, "")
		return p, nil, err
	}
	p, specs := &plan.Plan{Name: "the command line", Fabric: &fabric.Fabric{}}, map[string]connect.Spec{}
	for _, h := range o.hosts {
		p.Hosts = append(p.Hosts, &plan.Host{Name: h.name, Reach: h.spec.String(), Decl: &fabric.Host{Name: h.name}})
		specs[h.name] = h.spec
	}
	return p, specs, nil
}
