package architecture

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
	"internal/base/unit":       {nil, "types of quantities stand under everything"},
	"internal/base/gomaxprocs": {nil, "one owner of a setting of the whole process"},
	"internal/base/stat":       {nil, "statistics are pure numbers"},
	"docs":                     {nil, "pages that the program quotes"},
	"internal/base/jsonschema": {nil, "schemas are made of types, whatever they are of"},
	"internal/cli/manual":      {nil, "a manual is made of a tree of commands, whatever they do"},
	"internal/base/diag":       {nil, "how mistakes in the user's files are told is the same for every file"},
	"internal/design/ceiling":  {[]string{"internal/base/unit", "internal/record"}, "formulas over typed numbers, whose inputs a record keeps"},
	"internal/record/claims":   {[]string{"internal/base/unit", "internal/base/lazyregexp"}, "what other tools print has rates and sizes"},
	"internal/design/catalog":  {[]string{"internal/base/unit", "internal/base/diag"}, "catalogue entries have rates, sizes and prices; a user's own have mistakes"},
	"internal/design/fabric":   {[]string{"internal/base/unit", "internal/base/diag", "internal/design/catalog"}, "a file names parts and quantities, and has mistakes"},
	"internal/design/plan":     {[]string{"internal/base/unit", "internal/record", "internal/design/ceiling", "internal/design/catalog", "internal/design/fabric"}, "a plan is a fabric made concrete; its rules hold slots and buffers against formulas"},
	"internal/config":          {[]string{"internal/design/plan", "internal/config/device", "internal/config/guide", "internal/config/freebsd", "internal/config/linux", "internal/config/routeros", "internal/config/windows", "internal/config/dcb", "internal/config/onyx", "internal/config/cumulus", "internal/config/sonic", "internal/config/eos"}, "renders plans by the table of families"},
	"internal/host/connect":    {nil, "getting at a host knows nothing of what is done there"},
	"internal/host/loopback":   {nil, "ports of this machine in namespaces of their own; it knows no plan and measures nothing"},
	"internal/facts":           {[]string{"internal/base/unit", "internal/base/lazyregexp"}, "facts are typed quantities; parsers know no plan"},
	"internal/inspect/path":    {[]string{"internal/base/unit", "internal/record", "internal/design/ceiling", "internal/design/catalog", "internal/design/plan", "internal/facts"}, "chains the ceilings of a plan's components under the facts"},
	"internal/inspect/check":   {[]string{"internal/base/unit", "internal/record", "internal/design/ceiling", "internal/design/plan", "internal/facts"}, "holds facts against a plan and what a bus can carry; it asks nobody"},
	"internal/inspect/doctor":  {[]string{"internal/base/unit", "internal/record", "internal/design/plan", "internal/facts", "internal/inspect/check"}, "lines from what was gathered of hosts; what is wrong with a bus, a governor or a limit are the checks' findings, and it asks nobody"},
	"internal/host/apply":      {[]string{"internal/host/connect"}, "scripts onto a host and back; it knows no plan and no family"},
	"internal/inspect/survey":  {[]string{"internal/base/unit", "internal/design/catalog", "internal/design/fabric", "internal/facts"}, "a fabric file is drafted out of facts, with the catalogue's names for cards and experiments as the file has them"},
	"internal/traffic":         {[]string{"internal/base/unit", "internal/base/gomaxprocs", "internal/record", "internal/base/stat", "internal/facts"}, "methods fill records; processor times go through the one parser of /proc/stat"},
	"nvmetcp":                  {nil, "a protocol and its two ends; whoever measures with it is another"},
	"internal/storage/block":   {[]string{"internal/base/unit", "internal/base/gomaxprocs", "internal/traffic", "nvmetcp", "internal/storage/ring"}, "an initiator of storage; its clock, its histograms and its errors are those of the other methods"},
	"internal/agent":           {[]string{"internal/base/unit", "internal/base/gomaxprocs", "internal/host/connect", "internal/facts", "internal/traffic", "nvmetcp", "internal/storage/block"}, "the far end runs methods, captures facts, and is started over a reach"},
	"internal/run":             {[]string{"internal/base/unit", "internal/record", "internal/base/stat", "internal/record/claims", "internal/design/fabric", "internal/design/plan", "internal/host/connect", "internal/facts", "internal/inspect/path", "internal/traffic", "internal/storage/block", "internal/agent", "internal/record/runfolder"}, "schedules a plan's experiments over agents into a run folder; what ready-made programs print is read by package claims"},
	"internal/explain":         {[]string{"internal/base/unit", "internal/record", "internal/base/stat", "internal/design/ceiling", "internal/record/claims", "internal/design/fabric", "internal/design/plan", "internal/facts", "internal/inspect/path", "internal/inspect/check", "internal/record/runfolder"}, "holds records against ceilings and facts, and fits costs over them; what was wrong beforehand are the checks' findings"},
	"internal/report/summary":  {[]string{"internal/base/unit", "internal/record", "internal/base/diag", "internal/design/fabric"}, "makes the block of text that is posted of a record, and reads it back; loads have names in fabric files, and wrong words a nearest one"},
	"internal/report":          {[]string{"internal/base/unit", "internal/record", "internal/base/stat", "internal/design/ceiling", "internal/design/fabric", "internal/design/catalog", "internal/design/plan", "internal/design/suggest", "internal/inspect/check", "internal/inspect/doctor", "internal/report/summary", "internal/record/runfolder"}, "draws records, plans, suggestions and findings; knows no host; a row of CrystalDiskMark is the same as on a card"},
	"internal/lab/guest":       {[]string{"internal/base/unit"}, "makes a machine and speaks with its init; knows no plan"},
	"internal/lab/fault":       {[]string{"internal/base/unit", "internal/design/ceiling"}, "breaks a lab by its hosts' own commands; it knows causes by their ids alone, and what a bus carries is a formula, so that a verdict can be held against it"},
	"internal/lab/exam":        {[]string{"internal/base/unit", "internal/lab/fault", "internal/lab", "internal/design/plan", "internal/record/runfolder"}, "draws faults, finds the path in a lab that they are made on, and counts verdicts; it judges nothing itself"},
	"rdma":                     {nil, "a C program's sources and its building; what it is told and what it says are measure's"},
	"internal/lab":             {[]string{"internal/base/unit", "internal/design/ceiling", "internal/design/fabric", "internal/design/plan", "internal/host/connect", "internal/lab/guest"}, "builds a plan out of namespaces and guests and is reached like a host"},

	"internal/config/guide":       {[]string{"internal/base/unit", "internal/design/ceiling", "internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/config/device"}, "the order of the work and the test of each link, out of the plan and the devices' own steps; what a link is to carry is a formula"},
	"internal/config/device":      {nil, "files, lines and quoting, whatever the family"},
	"internal/config/eos":         {[]string{"internal/design/plan", "internal/config/device", "internal/config/dcb"}, "renders plans in the language of EOS"},
	"internal/config/sonic":       {[]string{"internal/design/plan", "internal/config/device", "internal/config/dcb"}, "renders plans as SONiC's commands and tables"},
	"internal/config/cumulus":     {[]string{"internal/design/plan", "internal/config/device", "internal/config/dcb"}, "renders plans in the language of NVUE"},
	"internal/config/onyx":        {[]string{"internal/design/plan", "internal/config/device", "internal/config/dcb"}, "renders plans in the language of Onyx and MLNX-OS"},
	"internal/config/dcb/dcbtest": {[]string{"internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/config/device", "internal/config/dcb"}, "hostile fabrics that every family of switches is rendered from; only tests import it"},
	"internal/config/dcb":         {[]string{"internal/base/unit", "internal/design/plan", "internal/config/device"}, "what switches of data centres share: ports, classes, what is expected of their answers"},
	"internal/config/windows":     {[]string{"internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/config/device"}, "renders hosts with Windows; a card's entry in the file says its transport and functions, the catalogue what is known of its driver"},
	"internal/config/routeros":    {[]string{"internal/base/unit", "internal/design/catalog", "internal/design/plan", "internal/config/device"}, "renders switches with RouterOS; a port's name hangs on the model"},
	"internal/config/freebsd":     {[]string{"internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/config/device"}, "renders hosts with FreeBSD and TrueNAS; names of interfaces hang on the card's driver"},

	"internal/config/configtest": {[]string{"internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/config/device"}, "plans and golden folders for the families' tests; only tests import it"},
	"internal/config/linux":      {[]string{"internal/design/plan", "internal/config/device"}, "a Linux host's settings as scripts and files"},
	"internal/design/suggest":    {[]string{"internal/base/unit", "internal/record", "internal/design/ceiling", "internal/design/catalog", "internal/design/fabric", "internal/design/plan"}, "designs for a wish are fabrics that are written, decoded and planned; a card's bus has a ceiling"},
	"internal/report/published":  {[]string{"internal/base/unit", "internal/record", "internal/base/diag", "internal/base/stat", "internal/design/ceiling"}, "published numbers out of files of the program's own, held against a record; a link of theirs has a ceiling, and what repeats carry is statistics"},

	"internal/storage/ring":      {nil, "io_uring by system calls; it knows no job"},
	"rdma/rdmatest":              {[]string{"rdma"}, "two ends of the C program by hand, in guests; only tests and benchmarks import it"},
	"internal/lab/exam/live":     {[]string{"internal/base/unit", "internal/record", "internal/design/ceiling", "internal/facts", "internal/lab/fault", "internal/lab", "internal/lab/exam"}, "runs the program in labs with faults and counts its verdicts; the depth of its buckets is a formula, and other work is read through the one parser of /proc/stat"},
	"internal/lab/wire":          {[]string{"internal/base/unit"}, "a link between two interfaces; it knows no lab"},
	"internal/record":            {[]string{"internal/base/unit"}, "everybody reads the record, so that it imports the base alone"},
	"internal/record/runfolder":  {[]string{"internal/record"}, "reads and writes records on disk"},
	"internal/record/recordtest": {[]string{"internal/base/unit", "internal/record"}, "an example of a record; only tests import it"},
	"internal/base/lazyregexp":   {nil, "regular expressions, compiled when they are used first"},
	"internal/tested":            {nil, "makes a page of what the tests left behind"},
	"internal/tested/page":       {[]string{"internal/tested"}, "writes that page"},
	"internal/outputs":           {[]string{"internal/runfile"}, "compares what two builds print, also of recorded runs"},
	"internal/runfile":           {nil, "recorded runs as text files; only tests and internal/outputs import it"},
	"internal/architecture":      {nil, "tests of the project as a whole"},
	"internal/testenv":           {nil, "decides which tests run; only tests and their helpers import it"},

	"internal/host/connect/connecttest": {[]string{"internal/host/connect", "internal/testenv"}, "the contract that every reach is held to; only tests import it"},
}

// order is the data path: a folder imports only what stands before it.
var order = []string{"internal/base/unit", "internal/base/gomaxprocs", "internal/record", "internal/record/runfolder", "internal/base/stat", "internal/base/diag", "internal/design/ceiling", "internal/record/claims", "internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/design/suggest", "internal/config", "internal/host/connect", "internal/host/loopback", "internal/facts", "internal/inspect/path", "internal/inspect/check", "internal/inspect/doctor", "internal/host/apply", "internal/inspect/survey",
	"rdma", "internal/traffic", "nvmetcp", "internal/storage/block", "internal/agent", "internal/run", "internal/explain", "internal/report/summary", "internal/report/published", "internal/report", "internal/lab/guest", "internal/lab", "internal/lab/fault", "internal/lab/exam", "cmd/linerate"}

func TestImports(t *testing.T) {
	seen := 0
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") || folder == "." || folder == "cmd/linerate" {
			return
		}
		seen++
		rule, ok := may[folder]
		if !ok {
			t.Errorf("%s: folder %s stands in no line of the table in internal/architecture/imports_test.go; add it with its reason", file, folder)
			return
		}
		for _, imported := range imports(t, file) {
			if !slices.Contains(rule.imports, imported) {
				t.Errorf("%s imports %s, which the table in internal/architecture/imports_test.go does not allow %s (%s)", file, imported, folder, rule.why)
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
	for _, folder := range []string{"internal/traffic", "internal/storage/block", "nvmetcp", "internal/agent"} {
		if _, ok := may[folder]; !ok {
			t.Errorf("%s is in no line of the table", folder)
		}
		seen := map[string]bool{}
		reached(folder, seen)
		for _, forbidden := range []string{"internal/base/diag", "internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/inspect/path", "internal/inspect/check"} {
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
		if strings.HasSuffix(file, "_test.go") || folder == "cmd/linerate" || folder == "internal/report" {
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
