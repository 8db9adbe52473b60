#!/usr/bin/env bash
# Sourced by scripts of tools in place of zkEnv.sh, when they have set ZOOBINDIR and defined usage: takes --config CONF_DIR and
# --help, which needs no Java. A script that sets NEEDS_COMMAND=true refuses to be called without a command.

ENV_OPTIONS=()
if [[ "${1:-}" == --config ]]; then
  ENV_OPTIONS=(--config "${2:-}")
  shift 2 || shift
fi
case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
  "" | -*)
    if [[ "${NEEDS_COMMAND:-}" == true ]]; then
      usage >&2
      exit 2
    fi
    ;;
esac

# shellcheck source=bin/zkEnv.sh
. "$ZOOBINDIR/zkEnv.sh" "${ENV_OPTIONS[@]}"
