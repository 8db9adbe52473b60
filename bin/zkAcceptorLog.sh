#!/usr/bin/env bash
# Prints the acceptor log of a server and what lies beside it, and finds damage.

usage() {
  cat <<'USAGE'
zkAcceptorLog.sh [--config CONF_DIR] [--verify] [--from POSITION] [--to POSITION] [ZOO_CFG | DIRECTORY | FILE]

  Prints every record of the acceptor log (segments or LMDB store), and identity, checkpoints and manifest beside it:
  byte in the file, position, what the protocol says, commands as proposer.incarnation#sequence, sizes, checksums.
  DIRECTORY is a dataLogDir, or the directory ordering in it, or a copy; FILE one file of it.

  --verify             print only what is wrong, and one line that sums up
  --from, --to         print only these positions; everything is checked all the same

It writes nothing. A running server's segments are read as far as they are written; its LMDB store is not read.
Without an operand it reads the directory that zoo.cfg in CONF_DIR (default: conf/ beside bin/) names.
The exit code is 0 if everything is whole, 1 if something is damaged (file, byte and what is wrong are said),
2 if the command line is wrong, 3 if something cannot be read.
USAGE
}

ZOOBINDIR="${BASH_SOURCE[0]}"
[[ ! -L "$ZOOBINDIR" ]] || ZOOBINDIR="$(readlink -f "$ZOOBINDIR")"
ZOOBINDIR="$(CDPATH='' cd -- "$(dirname "$ZOOBINDIR")" && pwd)"
# shellcheck source=bin/zkTool.sh
. "$ZOOBINDIR/zkTool.sh"
# requests in the log may have any length that a server takes
JVMFLAGS="-Djute.maxbuffer=268435456 ${JVMFLAGS:-}"
run_tool io.chainkeeper.main.AcceptorLogCommand "$ZOOCFG" "$@"
