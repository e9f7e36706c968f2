package diag

// ID names a kind of error. `linerate explain ID` opens its page, which is a row of docs/errors.md.
type ID string

// The errors of files.
const (
	FileUnreadable ID = "file-unreadable"
	FileEncoding   ID = "file-encoding"
	FileEmpty      ID = "file-empty"
	NotAFabric     ID = "not-a-fabric"
	TooLarge       ID = "too-large"
	YAMLSyntax     ID = "yaml-syntax"
	YAMLIndent     ID = "yaml-indentation"
	RangeUnquoted  ID = "range-unquoted"

	KeyUnknown   ID = "key-unknown"
	KeyTwice     ID = "key-twice"
	KeyMissing   ID = "key-missing"
	KeysConflict ID = "keys-conflict"

	ValueMissing ID = "value-missing"
	ValueKind    ID = "value-kind"
	ValueUnknown ID = "value-unknown"
	ValueNumber  ID = "value-number"
	ValueUnit    ID = "value-unit"
	ValueText    ID = "value-text"
	ValueTwice   ID = "value-twice"

	NameInvalid  ID = "name-invalid"
	NameTwice    ID = "name-twice"
	RangeInvalid ID = "range-invalid"

	PartUnknown   ID = "part-unknown"
	PartAmbiguous ID = "part-ambiguous"
	PartKind      ID = "part-kind"
	PartInvalid   ID = "part-invalid"

	HostUnknown       ID = "host-unknown"
	PortUnknown       ID = "port-unknown"
	DriveUnknown      ID = "drive-unknown"
	SubnetUnknown     ID = "subnet-unknown"
	ClassUnknown      ID = "class-unknown"
	ExperimentUnknown ID = "experiment-unknown"
	VariantUnknown    ID = "variant-unknown"

	PortUsed    ID = "port-used"
	LinkEnds    ID = "link-ends"
	CableMisfit ID = "cable-misfit"

	AddressInvalid ID = "address-invalid"
	AddressOutside ID = "address-outside"
	AddressTwice   ID = "address-twice"
	RangesOverlap  ID = "ranges-overlap"

	ConnectionInvalid ID = "connection-invalid"
	SecretInFile      ID = "secret-in-file"
	MachineInvalid    ID = "machine-invalid"
	SettingUnfit      ID = "setting-unfit"
	EndsInvalid       ID = "ends-invalid"
	GoalInvalid       ID = "goal-invalid"
	CommandInvalid    ID = "command-invalid"
	PatternInvalid    ID = "pattern-invalid"
)

// The errors of command lines, and of what they name.
const (
	CommandUnknown  ID = "command-unknown"
	FlagUnknown     ID = "flag-unknown"
	FlagValue       ID = "flag-value"
	FlagsConflict   ID = "flags-conflict"
	ArgumentMissing ID = "argument-missing"
	ArgumentExtra   ID = "argument-extra"
	HostUnreachable ID = "host-unreachable"
	RunUnknown      ID = "run-unknown"
	LabUnknown      ID = "lab-unknown"
	WordUnknown     ID = "word-unknown"
	OutputExists    ID = "output-exists"
	OutputRefused   ID = "output-refused"
	LinkUnknown     ID = "link-speed-unknown"
	NotRecognised   ID = "not-recognised"
)
