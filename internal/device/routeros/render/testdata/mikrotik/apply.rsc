# mikrotik of the fabric all-families: apply, for RouterOS 7.23 and later
:if (!([/system resource get version] ~ "^7\\.(2[3-9]|[3-9][0-9])(\$|[ .])")) do={ :error "nothing was changed: these files are for RouterOS 7.23 and later; write the version into the fabric file and render again" }
:if ([:len [/interface ethernet find where name="qsfp28-1-1"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-1-1; look at /interface ethernet print" }
:if ([:len [/interface ethernet find where name="qsfp28-1-2"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-1-2; look at /interface ethernet print" }
:if ([:len [/interface ethernet find where name="qsfp28-1-3"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-1-3; look at /interface ethernet print" }
:if ([:len [/interface ethernet find where name="qsfp28-1-4"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-1-4; look at /interface ethernet print" }
:if ([:len [/interface ethernet find where name="qsfp28-2-1"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-2-1; look at /interface ethernet print" }
:if ([:len [/interface ethernet find where name="qsfp28-2-2"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-2-2; look at /interface ethernet print" }
:if ([:len [/interface ethernet find where name="qsfp28-2-3"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-2-3; look at /interface ethernet print" }
:if ([:len [/interface ethernet find where name="qsfp28-2-4"]] != 1) do={ :error "nothing was changed: there is no port qsfp28-2-4; look at /interface ethernet print" }
:if ([:len [/system script find where name="linerate-l2mtu"]] = 0) do={ /system script add name="linerate-l2mtu" source=("/interface ethernet set [find switch=switch1] l2mtu=" . [/interface ethernet get [find where name="qsfp28-1-1"] l2mtu]) }
/interface ethernet set [find switch=switch1] l2mtu=9500
:if ([:len [/interface ethernet switch qos profile find where name="roce"]] = 0) do={ /interface ethernet switch qos profile add name="roce" dscp=26 pcp=3 traffic-class=3 } else={ /interface ethernet switch qos profile set [find where name="roce"] dscp=26 pcp=3 traffic-class=3 }
:if ([:len [/interface ethernet switch qos profile find where name="cnp"]] = 0) do={ /interface ethernet switch qos profile add name="cnp" dscp=48 pcp=6 traffic-class=6 } else={ /interface ethernet switch qos profile set [find where name="cnp"] dscp=48 pcp=6 traffic-class=6 }
/interface ethernet switch qos tx-manager queue set [find where traffic-class=1] schedule=high-priority-group weight=2
/interface ethernet switch qos tx-manager queue set [find where traffic-class=1] use-shared-buffers=yes wred=no ecn=no
/interface ethernet switch qos tx-manager queue set [find where traffic-class=3] schedule=high-priority-group weight=3
/interface ethernet switch qos tx-manager queue set [find where traffic-class=3] use-shared-buffers=yes wred=no ecn=yes
/interface ethernet switch qos tx-manager queue set [find where traffic-class=6] schedule=strict-priority
/interface ethernet switch qos tx-manager queue set [find where traffic-class=6] use-shared-buffers=yes wred=no ecn=no
# queues without a class stay as they are: they are inactive as long as no profile leads to them
# the roce-100g document set ECN on the tx-manager: that marks every active queue, also ordinary traffic, and is not done here
:if ([:len [/interface ethernet switch qos priority-flow-control find where name="pfc-tc3"]] = 0) do={ /interface ethernet switch qos priority-flow-control add name="pfc-tc3" traffic-class=3 rx=yes tx=yes } else={ /interface ethernet switch qos priority-flow-control set [find where name="pfc-tc3"] traffic-class=3 rx=yes tx=yes }
/interface ethernet switch qos settings set lossless-traffic-class=3 lossless-buffers=auto
/interface ethernet switch qos port set qsfp28-1-1 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch qos port set qsfp28-1-2 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch qos port set qsfp28-1-3 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch qos port set qsfp28-1-4 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch qos port set qsfp28-2-1 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch qos port set qsfp28-2-2 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch qos port set qsfp28-2-3 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch qos port set qsfp28-2-4 profile=default map=default tx-manager=default trust-l2=ignore trust-l3=keep pfc="pfc-tc3" egress-rate-queue3=100.0Gbps
/interface ethernet switch set switch1 qos-hw-offloading=yes
/ip neighbor discovery-settings set lldp-dcbx=yes
