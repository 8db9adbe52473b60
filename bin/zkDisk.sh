#!/usr/bin/env bash
# Formats the disks that the servers of an ensemble share, says what is on them, and replaces one that is lost.

usage() {
  cat <<'USAGE'
zkDisk.sh [--config CONF_DIR] COMMAND ... [ZOO_CFG]

  format           make the disks that ZOO_CFG lists in disk.paths those of a new cluster. They must be empty: zeros where
                   file systems, volumes and partitions stand. With disk.oneMachine=true files that are missing are made
  inspect [--mend] say what is on the disks, and where they are damaged; the exit code is not 0 if one is. --mend writes a
                   damaged superblock anew from its other copy, and lets a disk count again that was away when another
                   one was replaced; not while a disk is being replaced
  replace NUMBER   fill the empty disk that now stands at place NUMBER of the list (from 1) from the others, and make it
                   count. A majority of the disks has to be there besides it. Servers that run stop: start them again

format and replace say what they would do, and do it only with --yes. ZOO_CFG is a path (default: zoo.cfg in CONF_DIR, or
in conf/ beside bin/). The exit code is not 0 if a command was not carried out.
USAGE
}

# shellcheck disable=SC2034  # of zkTool.sh
NEEDS_COMMAND=true
ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkTool.sh
. "$ZOOBINDIR/zkTool.sh"
run_tool io.chainkeeper.main.DiskCommand "$ZOOCFG" "$@"
