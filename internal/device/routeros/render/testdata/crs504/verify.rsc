# crs504 of the fabric roce-100g: verify, for RouterOS 7.17 to 7.22
:if (!([/system resource get version] ~ "^7\\.(1[7-9]|2[0-2])(\$|[ .])")) do={ :error "nothing was changed: these files are for RouterOS 7.17 to 7.22; write the version into the fabric file and render again" }
:global linerateBad 0
:if ([:len [/interface bridge port find where interface="qsfp28-1-1"]] != 1) do={ :put "not as planned: qsfp28-1-1 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-1-2"]] != 1) do={ :put "not as planned: qsfp28-1-2 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-1-3"]] != 1) do={ :put "not as planned: qsfp28-1-3 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-1-4"]] != 1) do={ :put "not as planned: qsfp28-1-4 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-2-1"]] != 1) do={ :put "not as planned: qsfp28-2-1 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-2-2"]] != 1) do={ :put "not as planned: qsfp28-2-2 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-2-3"]] != 1) do={ :put "not as planned: qsfp28-2-3 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-2-4"]] != 1) do={ :put "not as planned: qsfp28-2-4 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-3-1"]] != 1) do={ :put "not as planned: qsfp28-3-1 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-3-2"]] != 1) do={ :put "not as planned: qsfp28-3-2 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-3-3"]] != 1) do={ :put "not as planned: qsfp28-3-3 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface bridge port find where interface="qsfp28-3-4"]] != 1) do={ :put "not as planned: qsfp28-3-4 is in no bridge"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-1-1" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-1-1 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-1-2" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-1-2 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-1-3" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-1-3 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-1-4" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-1-4 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-2-1" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-2-1 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-2-2" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-2-2 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-2-3" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-2-3 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-2-4" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-2-4 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-3-1" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-3-1 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-3-2" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-3-2 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-3-3" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-3-3 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet find where name="qsfp28-3-4" l2mtu=9500]] != 1) do={ :put "not as planned: qsfp28-3-4 has another L2MTU than 9500"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos profile find where name="default" traffic-class=1]] != 1) do={ :put "not as planned: what belongs to no class has another traffic class"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos profile find where name="roce" dscp=26 pcp=3 traffic-class=3]] != 1) do={ :put "not as planned: class roce has no profile with dscp=26 pcp=3 traffic-class=3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos profile find where name="cnp" dscp=48 pcp=6 traffic-class=6]] != 1) do={ :put "not as planned: class cnp has no profile with dscp=48 pcp=6 traffic-class=6"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos map ip find where dscp=26 profile="roce"]] != 1) do={ :put "not as planned: DSCP 26 is not mapped to class roce"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos map ip find where dscp=48 profile="cnp"]] != 1) do={ :put "not as planned: DSCP 48 is not mapped to class cnp"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos tx-manager queue find where traffic-class=1 schedule=high-priority-group weight=2]] != 1) do={ :put "not as planned: queue 1 of class rest is not schedule=high-priority-group weight=2"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos tx-manager queue find where traffic-class=1 use-shared-buffers=yes wred=no ecn=no]] != 1) do={ :put "not as planned: queue 1 of class rest is not use-shared-buffers=yes wred=no ecn=no"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos tx-manager queue find where traffic-class=3 schedule=high-priority-group weight=3]] != 1) do={ :put "not as planned: queue 3 of class roce is not schedule=high-priority-group weight=3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos tx-manager queue find where traffic-class=3 use-shared-buffers=yes wred=no ecn=yes shared-pool-index=1]] != 1) do={ :put "not as planned: queue 3 of class roce is not use-shared-buffers=yes wred=no ecn=yes shared-pool-index=1"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos tx-manager queue find where traffic-class=6 schedule=strict-priority]] != 1) do={ :put "not as planned: queue 6 of class cnp is not schedule=strict-priority"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos tx-manager queue find where traffic-class=6 use-shared-buffers=yes wred=no ecn=no]] != 1) do={ :put "not as planned: queue 6 of class cnp is not use-shared-buffers=yes wred=no ecn=no"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos priority-flow-control find where name="pfc-tc3" rx=yes tx=yes]] != 1) do={ :put "not as planned: there is no PFC profile pfc-tc3 with rx and tx"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-1" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-1-1 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-2" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-1-2 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-3" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-1-3 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-4" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-1-4 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-1" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-2-1 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-2" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-2-2 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-3" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-2-3 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-4" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-2-4 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-1" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-3-1 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-2" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-3-2 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-3" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-3-3 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-4" profile=default trust-l2=ignore trust-l3=keep]] != 1) do={ :put "not as planned: qsfp28-3-4 does not have trust-l2=ignore trust-l3=keep profile=default"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-1" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-1-1 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-2" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-1-2 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-3" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-1-3 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-1-4" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-1-4 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-1" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-2-1 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-2" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-2-2 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-3" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-2-3 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-2-4" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-2-4 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-1" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-3-1 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-2" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-3-2 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-3" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-3-3 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch qos port find where name="qsfp28-3-4" pfc="pfc-tc3"]] != 1) do={ :put "not as planned: qsfp28-3-4 does not have pfc=pfc-tc3"; :set linerateBad ($linerateBad + 1) }
:if ([:len [/interface ethernet switch find where name=switch1 qos-hw-offloading=yes]] != 1) do={ :put "not as planned: switch1 has qos-hw-offloading=no"; :set linerateBad ($linerateBad + 1) }
:if ([/ip neighbor discovery-settings get lldp-dcbx] != true) do={ :put "not as planned: lldp-dcbx is not yes"; :set linerateBad ($linerateBad + 1) }
/interface ethernet switch qos port print rates
/interface ethernet switch qos tx-manager queue print
:if ($linerateBad > 0) do={ :error "not everything is as planned: see the lines above" }
:put "as planned"
