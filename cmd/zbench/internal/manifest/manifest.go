// Package manifest writes what Kubernetes needs to run a coordinator and its agents:
// an Indexed Job, whose pods have names that stay, a headless Service, by which they
// find each other, and a ConfigMap with the plan. It is text: nothing here talks to
// a cluster.
package manifest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"
	"time"
)

// Options are what a manifest can differ in.
type Options struct {
	Name         string // of all that is made
	Namespace    string // "": that of kubectl's context
	Image        string
	Agents       int
	Plan         string // the content of the plan file
	CPU, Memory  string // of each pod, as Kubernetes writes them
	Deadline     time.Duration
	NodeSelector map[string]string
	HostNetwork  bool
	SameNode     bool   // pods may share a node
	TCPOnly      bool   // leave out of the plan what does not cross hosts
	KeySecret    string // name of a Secret whose "key" agents and coordinator share
	Port         int
}

//go:embed job.yaml.tmpl
var text string

var job = template.Must(template.New("job").Funcs(template.FuncMap{"quote": quote}).Parse(text))

// quote writes a string as JSON, which YAML takes.
func quote(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

var (
	// label is what RFC 1123 calls a label; the Job's pods add an index to it.
	label    = regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`)
	quantity = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$`)
	labelKey = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`)
)

// mostName leaves room for the index behind a pod's name.
const mostName = 57

// mostPlan is what fits into a ConfigMap: a MiB, with its names.
const mostPlan = 1<<20 - 4096

// Check returns all that is wrong.
func (o Options) Check() (problems []error) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if !label.MatchString(o.Name) || len(o.Name) > mostName {
		add("--name %s: use up to %d letters a to z, digits and hyphens", o.Name, mostName)
	}
	if o.Namespace != "" && (!label.MatchString(o.Namespace) || len(o.Namespace) > 63) {
		add("--namespace %s: use letters a to z, digits and hyphens", o.Namespace)
	}
	if o.KeySecret != "" && !label.MatchString(o.KeySecret) {
		add("--key-secret %s: use letters a to z, digits and hyphens", o.KeySecret)
	}
	if o.Image == "" || strings.ContainsAny(o.Image, " \t\n") {
		add("--image %q: name an image that has zbench as its entry point, such as registry.example/zbench:v1", o.Image)
	}
	if o.Agents < 2 || o.Agents > 1000 {
		add("--agents %d: one receives or answers, another sends: use 2 to 1000", o.Agents)
	}
	for _, q := range [][2]string{{"cpu", o.CPU}, {"memory", o.Memory}} {
		if !quantity.MatchString(q[1]) {
			add("--%s %s: write a quantity of Kubernetes, such as 2, 500m or 1Gi", q[0], q[1])
		}
	}
	if o.Deadline < time.Minute {
		add("--deadline %v: starting pods takes a while; use a minute or more", o.Deadline)
	}
	for k, v := range o.NodeSelector {
		if !labelKey.MatchString(k) || v != "" && (!labelKey.MatchString(v) || strings.Contains(v, "/")) {
			add("--node-selector %s=%s: that is no label of a node", k, v)
		}
	}
	if len(o.Plan) > mostPlan {
		add("the plan has %d bytes: a ConfigMap holds %d", len(o.Plan), mostPlan)
	}
	return problems
}

// Write writes the manifest of options that Check has nothing against.
func (o Options) Write(w io.Writer) error { return job.Execute(w, o) }

// Pods is how many there are: the coordinator's, and the agents'.
func (o Options) Pods() int { return o.Agents + 1 }

// Seconds is the Job's deadline.
func (o Options) Seconds() int { return int(o.Deadline / time.Second) }

// Join is where agents find the coordinator: the pod with index 0.
func (o Options) Join() string {
	return fmt.Sprintf("tcp://%s-0.%s:%d", o.Name, o.Name, o.Port)
}
