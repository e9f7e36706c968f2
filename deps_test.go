package linerate

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// may says which folders of the project a folder may import, with the reason.
// A new arrow is a decision: it is written here, with its reason, or it is not made.
// Tests may import any folder.
var may = map[string]struct {
	imports []string
	why     string
}{
	"unit":    {nil, "types of quantities stand under everything"},
	"stat":    {nil, "statistics are pure numbers"},
	"docs":    {nil, "pages that the program quotes"},
	"schema":  {nil, "schemas are made of types, whatever they are of"},
	"manual":  {nil, "a manual is made of a tree of commands, whatever they do"},
	"mistake": {nil, "how mistakes in the user's files are told is the same for every file"},
	"ceiling": {[]string{"unit", "internal/record"}, "formulas over typed numbers, whose inputs a record keeps"},
	"figure":  {[]string{"unit", "internal/lazyregexp"}, "what other tools print has rates and sizes"},
	"parts":   {[]string{"unit", "mistake"}, "catalogue entries have rates, sizes and prices; a user's own have mistakes"},
	"fabric":  {[]string{"unit", "mistake", "parts"}, "a file names parts and quantities, and has mistakes"},
	"plan":    {[]string{"unit", "internal/record", "ceiling", "parts", "fabric"}, "a plan is a fabric made concrete; its rules hold slots and buffers against formulas"},
	"config":  {[]string{"plan", "config/device", "config/guide", "config/freebsd", "config/linux", "config/routeros", "config/windows", "config/dcb", "config/onyx", "config/cumulus", "config/sonic", "config/eos"}, "renders plans by the table of families"},
	"reach":   {nil, "getting at a host knows nothing of what is done there"},
	"loop":    {nil, "ports of this machine in namespaces of their own; it knows no plan and measures nothing"},
	"facts":   {[]string{"unit", "internal/lazyregexp"}, "facts are typed quantities; parsers know no plan"},
	"path":    {[]string{"unit", "internal/record", "ceiling", "parts", "plan", "facts"}, "chains the ceilings of a plan's components under the facts"},
	"check":   {[]string{"unit", "internal/record", "ceiling", "plan", "facts"}, "holds facts against a plan and what a bus can carry; it asks nobody"},
	"doctor":  {[]string{"unit", "internal/record", "plan", "facts", "check"}, "lines from what was gathered of hosts; what is wrong with a bus, a governor or a limit are the checks' findings, and it asks nobody"},
	"apply":   {[]string{"reach"}, "scripts onto a host and back; it knows no plan and no family"},
	"survey":  {[]string{"unit", "parts", "fabric", "facts"}, "a fabric file is drafted out of facts, with the catalogue's names for cards and experiments as the file has them"},
	"measure": {[]string{"unit", "internal/record", "stat", "facts"}, "methods fill records; processor times go through the one parser of /proc/stat"},
	"nvmetcp": {nil, "a protocol and its two ends; whoever measures with it is another"},
	"block":   {[]string{"unit", "measure", "nvmetcp", "block/ring"}, "an initiator of storage; its clock, its histograms and its errors are those of the other methods"},
	"agent":   {[]string{"unit", "reach", "facts", "measure", "nvmetcp", "block"}, "the far end runs methods, captures facts, and is started over a reach"},
	"run":     {[]string{"unit", "internal/record", "stat", "figure", "fabric", "plan", "reach", "facts", "path", "measure", "block", "agent", "internal/record/runfolder"}, "schedules a plan's experiments over agents into a run folder; what ready-made programs print is read by package figure"},
	"explain": {[]string{"unit", "internal/record", "stat", "ceiling", "figure", "fabric", "plan", "facts", "path", "check", "internal/record/runfolder"}, "holds records against ceilings and facts, and fits costs over them; what was wrong beforehand are the checks' findings"},
	"card":    {[]string{"unit", "internal/record", "mistake", "fabric"}, "makes the block of text that is posted of a record, and reads it back; loads have names in fabric files, and wrong words a nearest one"},
	"report":  {[]string{"unit", "internal/record", "stat", "ceiling", "fabric", "parts", "plan", "suggest", "check", "doctor", "card", "internal/record/runfolder"}, "draws records, plans, suggestions and findings; knows no host; a row of CrystalDiskMark is the same as on a card"},
	"guest":   {[]string{"unit"}, "makes a machine and speaks with its init; knows no plan"},
	"fault":   {[]string{"unit", "ceiling"}, "breaks a lab by its hosts' own commands; it knows causes by their ids alone, and what a bus carries is a formula, so that a verdict can be held against it"},
	"exam":    {[]string{"unit", "fault", "lab", "plan", "internal/record/runfolder"}, "draws faults, finds the path in a lab that they are made on, and counts verdicts; it judges nothing itself"},
	"verbs":   {nil, "a C program's sources and its building; what it is told and what it says are measure's"},
	"lab":     {[]string{"unit", "ceiling", "fabric", "plan", "reach", "guest"}, "builds a plan out of namespaces and guests and is reached like a host"},

	"config/guide":       {[]string{"unit", "ceiling", "parts", "fabric", "plan", "config/device"}, "the order of the work and the test of each link, out of the plan and the devices' own steps; what a link is to carry is a formula"},
	"config/device":      {nil, "files, lines and quoting, whatever the family"},
	"config/eos":         {[]string{"plan", "config/device", "config/dcb"}, "renders plans in the language of EOS"},
	"config/sonic":       {[]string{"plan", "config/device", "config/dcb"}, "renders plans as SONiC's commands and tables"},
	"config/cumulus":     {[]string{"plan", "config/device", "config/dcb"}, "renders plans in the language of NVUE"},
	"config/onyx":        {[]string{"plan", "config/device", "config/dcb"}, "renders plans in the language of Onyx and MLNX-OS"},
	"config/dcb/dcbtest": {[]string{"parts", "fabric", "plan", "config/device", "config/dcb"}, "hostile fabrics that every family of switches is rendered from; only tests import it"},
	"config/dcb":         {[]string{"unit", "plan", "config/device"}, "what switches of data centres share: ports, classes, what is expected of their answers"},
	"config/windows":     {[]string{"parts", "fabric", "plan", "config/device"}, "renders hosts with Windows; a card's entry in the file says its transport and functions, the catalogue what is known of its driver"},
	"config/routeros":    {[]string{"unit", "parts", "plan", "config/device"}, "renders switches with RouterOS; a port's name hangs on the model"},
	"config/freebsd":     {[]string{"parts", "fabric", "plan", "config/device"}, "renders hosts with FreeBSD and TrueNAS; names of interfaces hang on the card's driver"},

	"config/configtest": {[]string{"parts", "fabric", "plan", "config/device"}, "plans and golden folders for the families' tests; only tests import it"},
	"config/linux":      {[]string{"plan", "config/device"}, "a Linux host's settings as scripts and files"},
	"suggest":           {[]string{"unit", "internal/record", "ceiling", "parts", "fabric", "plan"}, "designs for a wish are fabrics that are written, decoded and planned; a card's bus has a ceiling"},
	"baselines":         {[]string{"unit", "internal/record", "mistake", "stat", "ceiling"}, "published numbers out of files of the program's own, held against a record; a link of theirs has a ceiling, and what repeats carry is statistics"},

	"block/ring":                 {nil, "io_uring by system calls; it knows no job"},
	"verbs/verbstest":            {[]string{"verbs"}, "two ends of the C program by hand, in guests; only tests and benchmarks import it"},
	"exam/live":                  {[]string{"unit", "internal/record", "ceiling", "facts", "fault", "lab", "exam"}, "runs the program in labs with faults and counts its verdicts; the depth of its buckets is a formula, and other work is read through the one parser of /proc/stat"},
	"lab/wire":                   {[]string{"unit"}, "a link between two interfaces; it knows no lab"},
	"internal/record":            {[]string{"unit"}, "everybody reads the record, so that it imports the base alone"},
	"internal/record/runfolder":  {[]string{"internal/record"}, "reads and writes records on disk"},
	"internal/record/recordtest": {[]string{"unit", "internal/record"}, "an example of a record; only tests import it"},
	"internal/lazyregexp":        {nil, "regular expressions, compiled when they are used first"},
	"internal/tested":            {nil, "makes a page of what the tests left behind"},
	"internal/tested/page":       {[]string{"internal/tested"}, "writes that page"},
	"internal/outputs":           {[]string{"internal/runfile"}, "compares what two builds print, also of recorded runs"},
	"internal/runfile":           {nil, "recorded runs as text files; only tests and internal/outputs import it"},
	"internal/testenv":           {nil, "decides which tests run; only tests and their helpers import it"},

	"reach/reachtest": {[]string{"reach", "internal/testenv"}, "the contract that every reach is held to; only tests import it"},
	"bench/storage":   {[]string{"unit", "measure", "block"}, "measures the block engine beside fio and a bare loop"},
	"bench/nvmetcp":   {[]string{"nvmetcp"}, "the own initiator and target beside other block protocols"},
	"bench/verbs":     {[]string{"verbs/verbstest"}, "measures linerate-verbs beside perftest, in guests"},
	"bench/wire":      {[]string{"unit", "ceiling", "reach", "agent", "lab"}, "namespaces with agents, joined by links with the lab's own shaper, whose depth is a formula"},
	"bench/accuracy":  {[]string{"unit", "internal/record", "measure", "run", "bench/wire"}, "holds figures of runs against shapers, control groups and firewalls"},
	"bench/compare":   {[]string{"unit", "internal/record", "stat", "measure", "agent", "run", "report", "bench/wire"}, "draws comparisons out of recorded runs as report does"},
	"bench/check":     {nil, "measures reading and checking from outside, in tests alone"},
	"bench/config":    {nil, "measures planning and rendering from outside, in tests alone"},
	"bench/nodes":     {[]string{"bench/wire", "internal/record/runfolder"}, "starts the program on many hosts of one machine and reads its run folder"},
	"bench/report":    {[]string{"internal/record", "internal/record/runfolder"}, "makes very large run folders, and measures the program and a browser from outside"},
	"bench/network":   {[]string{"unit", "internal/record", "reach", "measure", "agent", "run", "bench/wire"}, "measures the engine beside its peers, through the agents that every run has, and reads the loss off their records"},

	"bench/storage/cpu": {[]string{"internal/record"}, "holds processor times of records against /proc"},
}

// order is the data path: a folder imports only what stands before it.
var order = []string{"unit", "internal/record", "internal/record/runfolder", "stat", "mistake", "ceiling", "figure", "parts", "fabric", "plan", "suggest", "config", "reach", "loop", "facts", "path", "check", "doctor", "apply", "survey",
	"verbs", "measure", "nvmetcp", "block", "agent", "run", "explain", "card", "baselines", "report", "guest", "lab", "fault", "exam", "cmd/linerate"}

func TestImports(t *testing.T) {
	seen := 0
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") || folder == "." || folder == "cmd/linerate" {
			return
		}
		seen++
		rule, ok := may[folder]
		if !ok {
			t.Errorf("%s: folder %s stands in no line of the table in deps_test.go; add it with its reason", file, folder)
			return
		}
		for _, imported := range imports(t, file) {
			if !slices.Contains(rule.imports, imported) {
				t.Errorf("%s imports %s, which the table in deps_test.go does not allow %s (%s)", file, imported, folder, rule.why)
			}
		}
	})
	if seen < 20 {
		t.Fatalf("only %d files were looked at", seen)
	}
}

// What runs on a far end and in the loops that are measured knows no plan: an agent has nothing to do with the decoder of
// fabric files, the catalogue and the checks.
func TestFarEndKnowsNoPlan(t *testing.T) {
	var reached func(folder string, seen map[string]bool)
	reached = func(folder string, seen map[string]bool) {
		for _, i := range may[folder].imports {
			if !seen[i] {
				seen[i] = true
				reached(i, seen)
			}
		}
	}
	for _, folder := range []string{"measure", "block", "nvmetcp", "agent"} {
		if _, ok := may[folder]; !ok {
			t.Errorf("%s is in no line of the table", folder)
		}
		seen := map[string]bool{}
		reached(folder, seen)
		for _, forbidden := range []string{"mistake", "parts", "fabric", "plan", "path", "check"} {
			if seen[forbidden] {
				t.Errorf("%s depends on %s", folder, forbidden)
			}
		}
	}
}

func TestTableFollowsTheDataPath(t *testing.T) {
	for folder, rule := range may {
		if rule.why == "" {
			t.Errorf("%s: no reason", folder)
		}
		at := slices.Index(order, folder)
		for _, i := range rule.imports {
			if at >= 0 && slices.Index(order, i) >= at {
				t.Errorf("%s may import %s, which does not stand before it on the data path", folder, i)
			}
		}
	}
}

func TestOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := comments[folder]; !ok {
			comments[folder] = nil
		}
		if f.Doc != nil {
			comments[folder] = append(comments[folder], file)
		}
	})
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("folder %s has %d package comments, want exactly one: %v", folder, len(files), files)
		}
	}
}

// TestPrinting keeps output in the two places that own it.
func TestPrinting(t *testing.T) {
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") || folder == "cmd/linerate" || folder == "report" {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"fmt.Print(", "fmt.Println(", "fmt.Printf(", "log.Print", "println("} {
			if i := strings.Index(string(text), call); i >= 0 && !strings.Contains(lineAt(string(text), i), "Fprintln(") {
				t.Errorf("%s prints (%s); only report and cmd do", file, call)
			}
		}
	})
}

func lineAt(text string, i int) string {
	start := strings.LastIndex(text[:i], "\n") + 1
	end := strings.Index(text[i:], "\n")
	if end < 0 {
		return text[start:]
	}
	return text[start : i+end]
}

func eachGoFile(t *testing.T, visit func(file, folder string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "tools" || d.Name() == "runs" || d.Name() == "browsertest") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			visit(path, filepath.ToSlash(filepath.Dir(path)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// imports lists the project's own folders that a file imports.
func imports(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range f.Imports {
		path, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if own, ok := strings.CutPrefix(path, "linerate/"); ok {
			out = append(out, own)
		}
	}
	return out
}
