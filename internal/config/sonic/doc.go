// Package sonic renders what makes a switch with community SONiC follow the plan: a script of config commands with a fragment of
// config_db.json, what its show commands should answer, and a script that loads the configuration that was there before.
package sonic
