# To be sourced.

# replicate_with_chain zoo.cfg: makes the file of a stock server one of a replica. A standalone server becomes the only
# member of an ensemble, with the two ports above that for clients.
replicate_with_chain() {
  grep -q '^ordering\.protocol=' "$1" && return
  if ! grep -q '^server\.' "$1"; then
    local port
    port=$(sed -n 's/^clientPort=//p' "$1")
    printf 'server.1=127.0.0.1:%d:%d\nstandaloneEnabled=false\n' $((port + 1)) $((port + 2)) >>"$1"
  fi
  echo ordering.protocol=chain >>"$1"
}
