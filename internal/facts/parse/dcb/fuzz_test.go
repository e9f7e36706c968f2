package dcb

import (
	"testing"

	"linerate/internal/facts/parse/parsetest"
)

func FuzzDCBPFC(f *testing.F) { parsetest.FuzzRead(f, "dcb pfc *", ReadDCB, "e0") }

func FuzzDCBETS(f *testing.F) { parsetest.FuzzRead(f, "dcb ets *", ReadDCB, "e0") }

func FuzzDCBApp(f *testing.F) { parsetest.FuzzRead(f, "dcb app *", ReadDCBApp, "e0") }

func FuzzDCBX(f *testing.F) { parsetest.FuzzRead(f, "dcb dcbx *", ReadDCBX, "e0") }

func FuzzMlnxQoS(f *testing.F) { parsetest.FuzzRead(f, "mlnx_qos *", ReadMlnxQoS, "e0") }

func FuzzLLDPTool(f *testing.F) { parsetest.FuzzRead(f, "lldptool *", ReadLLDPTool, "e0") }
