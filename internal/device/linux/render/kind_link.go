package render

import (
	"cmp"
	"fmt"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

func applyLink(c *context, f *config.File, s plan.Setting) {
	i := c.ref(s.Interface)
	f.Form(fmt.Sprintf(`keep link %s - "$(up_of %s)"`, i, i))
	f.Add("ip-link(8)", s.Why, fmt.Sprintf("try ip link set dev %s up", i))
}

func verifyLink(c *context, f *config.File, s plan.Setting) {
	f.Add("ip-link(8)", s.Why, fmt.Sprintf(`is "link %s" up "$(up_of %s)"`, c.text(s.Interface), c.ref(s.Interface)))
}

func applyMTU(c *context, f *config.File, s plan.Setting) {
	i := c.ref(s.Interface)
	f.Form(fmt.Sprintf(`keep mtu %s - "$(mtu_of %s)"`, i, i))
	f.Add("ip-link(8)", s.Why, fmt.Sprintf("try ip link set dev %s mtu %d", i, s.Int))
}

func verifyMTU(c *context, f *config.File, s plan.Setting) {
	f.Add("ip-link(8)", s.Why, fmt.Sprintf(`is "MTU of %s" %d "$(mtu_of %s)"`, c.text(s.Interface), s.Int,
		c.ref(s.Interface)))
}

func applyAddress(c *context, f *config.File, s plan.Setting) {
	i, how := c.ref(s.Interface), ""
	if s.Prefix.Addr().Is4() && s.Prefix.Bits() <= 30 {
		how = " broadcast +"
	}
	f.Form(fmt.Sprintf(`keep address %s %s "$(address_of %s %s)"`, i, s.Prefix, i, s.Prefix))
	f.Add("ip-address(8)", s.Why, fmt.Sprintf("try ip address replace %s%s dev %s", s.Prefix, how, i))
}

func verifyAddress(c *context, f *config.File, s plan.Setting) {
	f.Add("ip-address(8)", s.Why, fmt.Sprintf(`is "address %s on %s" present "$(address_of %s %s)"`, s.Prefix,
		c.text(s.Interface), c.ref(s.Interface), s.Prefix))
}

func routeWords(s plan.Setting) (to, via string) {
	to = "default"
	if s.Prefix.IsValid() && s.Prefix.Bits() > 0 {
		to = s.Prefix.Masked().String()
	} else if s.Prefix.IsValid() {
		to = s.Prefix.String()
	}
	if s.Address.IsValid() {
		via = " via " + s.Address.String()
	}
	return to, via
}

func applyRoute(c *context, f *config.File, s plan.Setting) {
	i := c.ref(s.Interface)
	to, via := routeWords(s)
	scope := ""
	if via == "" {
		scope = " scope link"
	}
	f.Form(fmt.Sprintf(`keep route %s %s "$(route_of %s %s)"`, i, to, to, i))
	f.Add("ip-route(8)", s.Why, fmt.Sprintf("try ip route replace %s%s dev %s%s", to, via, i, scope))
}

func verifyRoute(c *context, f *config.File, s plan.Setting) {
	to, via := routeWords(s)
	cases := `*"` + via + ` "*) r=present ;; *) r=absent`
	if via == "" {
		cases = `"" | *" via "*) r=absent ;; *) r=present`
	}
	f.Add("ip-route(8)", s.Why, fmt.Sprintf(`case "$(route_of %s %s)" in %s ;; esac; is "route to %s%s on %s" present "$r"`,
		to, c.ref(s.Interface), cases, to, via, c.text(s.Interface)))
}

func applySysctl(c *context, f *config.File, s plan.Setting) {
	key := c.q(s.Key)
	if s.AtLeast() {
		f.Add("sysctl(8)", s.Why, fmt.Sprintf("raise %s %s", key, c.q(s.AboveDefault())))
		return
	}
	f.Form("keep_sysctl " + key)
	f.Add("sysctl(8)", s.Why, fmt.Sprintf("may %s sysctl -q -w %s", c.q("sysctl "+s.Key), c.q(s.Key+"="+s.Value)))
}

func verifySysctl(c *context, f *config.File, s plan.Setting) {
	compare := "is"
	if s.AtLeast() {
		compare = "least"
	}
	f.Add("sysctl(8)", s.Why, fmt.Sprintf(`%s %s %s "$(sysctl_of %s)"`, compare, c.q("sysctl "+s.Key), c.q(s.Value),
		c.q(s.Key)))
}

// applyOffload continues if a driver does not allow to change an offload: the plan reports that.
func applyOffload(c *context, f *config.File, s plan.Setting) {
	i := c.ref(s.Interface)
	f.Form(fmt.Sprintf("keep_features %s", i))
	f.Add("ethtool(8)", s.Why, fmt.Sprintf(`may "%s %s on %s" ethtool -K %s %s %s`, s.Key, s.Value, c.text(s.Interface),
		i, c.q(s.Key), c.q(s.Value)))
}

func verifyOffload(c *context, f *config.File, s plan.Setting) {
	f.Add("ethtool(8)", s.Why, fmt.Sprintf(`is "%s of %s" %s "$(feature_of %s %s)"`, longOffload(s.Key),
		c.text(s.Interface), c.q(s.Value), c.ref(s.Interface), c.q(longOffload(s.Key))))
}

// longOffload returns the name in the output of ethtool -k for a short name of ethtool -K (ethtool(8), -K).
func longOffload(short string) string {
	return cmp.Or(map[string]string{"tso": "tcp-segmentation-offload", "gso": "generic-segmentation-offload",
		"gro": "generic-receive-offload", "lro": "large-receive-offload", "sg": "scatter-gather", "rx": "rx-checksumming",
		"tx": "tx-checksumming", "rxvlan": "rx-vlan-offload", "txvlan": "tx-vlan-offload", "ntuple": "ntuple-filters",
		"rxhash": "receive-hashing"}[short], short)
}

func applyQdisc(c *context, f *config.File, s plan.Setting) {
	i := c.ref(s.Interface)
	f.Form(fmt.Sprintf(`keep qdisc %s - "$(qdisc_of %s)"`, i, i))
	f.Add("tc(8)", s.Why, fmt.Sprintf(`may "qdisc %s on %s" tc qdisc replace dev %s root %s%s`, c.plainWord(s.Key),
		c.text(s.Interface), i, c.q(s.Key), c.words(s.Value)))
}

func verifyQdisc(c *context, f *config.File, s plan.Setting) {
	f.Add("tc(8)", s.Why, fmt.Sprintf(`q=$(qdisc_of %s); is "qdisc of %s" %s "${q%%%% *}"`, c.ref(s.Interface),
		c.text(s.Interface), c.q(s.Key)))
}
