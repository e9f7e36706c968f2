# mikrotik of the fabric all-families: undo, for RouterOS 7.23 and later
:if (!([/system resource get version] ~ "^7\\.(2[3-9]|[3-9][0-9])(\$|[ .])")) do={ :error "nothing was changed: these files are for RouterOS 7.23 and later; write the version into the fabric file and render again" }
/interface ethernet switch qos port set qsfp28-1-1 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos port set qsfp28-1-2 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos port set qsfp28-1-3 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos port set qsfp28-1-4 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos port set qsfp28-2-1 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos port set qsfp28-2-2 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos port set qsfp28-2-3 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos port set qsfp28-2-4 pfc=disabled trust-l2=ignore trust-l3=ignore profile=default !egress-rate-queue3
/interface ethernet switch qos priority-flow-control remove [find where name="pfc-tc3"]
/interface ethernet switch qos profile remove [find where name="roce"]
/interface ethernet switch qos profile remove [find where name="cnp"]
/interface ethernet switch qos tx-manager queue set [find where traffic-class=1] schedule=low-priority-group weight=2 wred=no ecn=no use-shared-buffers=yes
/interface ethernet switch qos tx-manager queue set [find where traffic-class=3] schedule=high-priority-group weight=3 wred=no ecn=no use-shared-buffers=yes
/interface ethernet switch qos tx-manager queue set [find where traffic-class=6] schedule=strict-priority wred=no ecn=no use-shared-buffers=yes
/interface ethernet switch qos settings set lossless-traffic-class=auto lossless-buffers=auto
/ip neighbor discovery-settings set lldp-dcbx=no
/interface ethernet switch set switch1 qos-hw-offloading=no
:if ([:len [/system script find where name="linerate-l2mtu"]] = 1) do={ /system script run "linerate-l2mtu"; /system script remove [find where name="linerate-l2mtu"] }
:put "undone; now reboot: /system reboot"
