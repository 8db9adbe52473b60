# To be sourced.

# Adds to $1, a zoo.cfg, the disks that all servers with its server lines share, and formats them. A server that
# has lost its data but has used the disks before belongs to a test that begins anew: so do the disks.
shared_disks() {
  local ensemble data id generation=0
  ensemble=$(grep '^server\.' "$1" | sort | md5sum)
  ensemble=${CHAINKEEPER_DISKS:?say where the disks shall lie}/${ensemble%% *}
  data=$(sed -n 's/^dataDir=//p' "$1")
  id=$(cat "$data/myid" 2>/dev/null || echo 1)
  mkdir -p "$ensemble"
  exec {lock}>"$ensemble/lock"
  flock "$lock"
  [ ! -f "$ensemble/generation" ] || generation=$(<"$ensemble/generation")
  if [ ! -d "$ensemble/$generation" ] ||
    { [ ! -d "$data/version-2" ] && [ -f "$ensemble/$generation/used-by-$id" ]; }; then
    generation=$((generation + 1))
    echo "$generation" >"$ensemble/generation"
    mkdir "$ensemble/$generation"
  fi
  touch "$ensemble/$generation/used-by-$id"
  printf 'disk.paths=%s,%s,%s\ndisk.oneMachine=true\n' "$ensemble/$generation/"{1,2,3} >>"$1"
  [ -f "$ensemble/$generation/1" ] || "$CHAINKEEPER_BIN/zkDisk.sh" format --yes "$1" >&2
  exec {lock}>&-
}

# replicate zoo.cfg: makes the file of a stock server one of a replica. A standalone server becomes the only member of an
# ensemble, with the two ports above that for clients. ENSEMBLE_PROTOCOL says how replicas order, chain unless said.
replicate() {
  local protocol=${ENSEMBLE_PROTOCOL:-chain}
  grep -q '^ordering\.protocol=' "$1" && return
  if ! grep -q '^server\.' "$1"; then
    local port
    port=$(sed -n 's/^clientPort=//p' "$1")
    printf 'server.1=127.0.0.1:%d:%d\nstandaloneEnabled=false\n' $((port + 1)) $((port + 2)) >>"$1"
  fi
  echo "ordering.protocol=$protocol" >>"$1"
  [ "$protocol" != disk ] || shared_disks "$1"
}
