# What run.sh needs to know of each application: fetch_NAME gets it and sets VERSION, start_NAME starts its servers,
# work_NAME works until the file RUN/turned is there, checks, says what it did, and fails if anything was wrong.
# shellcheck shell=bash disable=SC2034,SC2153

fetch_kazoo() {
  need python3
  VERSION=2.10.0
  [[ -d "$CACHE/python" ]] || {
    python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore \
      --target "$CACHE/python.new" "kazoo==$VERSION"
    mv "$CACHE/python.new" "$CACHE/python"
  }
}

start_kazoo() { :; }

work_kazoo() {
  PYTHONPATH="$CACHE/python" exec python3 "$HERE/kazoo/work.py" "$CONNECT" "$RUN/turned"
}

fetch_go_zookeeper() {
  need go
  VERSION=v1.0.4
  mkdir -p "$CACHE/program"
  cp "$HERE/go-zookeeper/work.go" "$CACHE/program/main.go"
  (
    cd "$CACHE/program"
    [[ -f go.mod ]] || go mod init chainkeeper.example/work 2>/dev/null
    go mod edit -require "github.com/go-zookeeper/zk@$VERSION"
    GOFLAGS=-mod=mod go build -o "$CACHE/work" .
  )
}

start_go_zookeeper() { :; }

work_go_zookeeper() {
  exec "$CACHE/work" "$CONNECT" "$RUN/turned"
}

fetch_node_zookeeper_client() {
  need node
  need npm
  VERSION=1.1.3
  [[ -d "$CACHE/node_modules/node-zookeeper-client" ]] ||
    npm install --silent --no-audit --no-fund --prefix "$CACHE" "node-zookeeper-client@$VERSION" >/dev/null
}

start_node_zookeeper_client() { :; }

work_node_zookeeper_client() {
  NODE_PATH="$CACHE/node_modules" exec node "$HERE/node-zookeeper-client/work.js" "$CONNECT" "$RUN/turned"
}

fetch_c() {
  local package
  need cc
  need apt-get
  need dpkg-deb
  [[ -d "$CACHE/root" ]] || {
    for package in libzookeeper-mt2 libzookeeper-mt-dev; do
      (cd "$CACHE" && apt-get -qq -o APT::Sandbox::User=root download "$package") || {
        echo "Missing: apt-get has no package $package; run apt-get update, on Debian" >&2
        exit 3
      }
    done
    for package in "$CACHE"/*.deb; do
      dpkg-deb -x "$package" "$CACHE/root.new"
    done
    mv "$CACHE/root.new" "$CACHE/root"
  }
  VERSION="$(basename "$CACHE"/libzookeeper-mt2_*.deb)"
  VERSION="${VERSION#*_}"
  VERSION="${VERSION%%_*}"
  LIBRARY="$(dirname "$(find "$CACHE/root" -name 'libzookeeper_mt.so.*' | head -n 1)")"
  cc -Wall -O1 -DTHREADED "-I$CACHE/root/usr/include" -o "$CACHE/work" "$HERE/c/work.c" \
    "$LIBRARY"/libzookeeper_mt.so.2 -lpthread -Wl,--allow-shlib-undefined
}

start_c() { :; }

work_c() {
  LD_LIBRARY_PATH="$LIBRARY" exec "$CACHE/work" "$CONNECT" "$RUN/turned"
}

fetch_curator() { fetch_jars; }

start_curator() { :; }

work_curator() { java_work; }

fetch_kafka() { fetch_jars; }

# Two brokers: one of them is the controller, and topics have two replicas.
start_kafka() {
  local id port
  BROKERS=""
  for id in 1 2; do
    port="$(free_port)"
    BROKERS+="${BROKERS:+,}127.0.0.1:$port"
    printf '%s\n' "broker.id=$id" "listeners=PLAINTEXT://127.0.0.1:$port" "log.dirs=$RUN/broker-$id" \
      "zookeeper.connect=$CONNECT" "zookeeper.session.timeout.ms=15000" "zookeeper.connection.timeout.ms=60000" \
      "offsets.topic.num.partitions=4" "offsets.topic.replication.factor=2" "min.insync.replicas=1" \
      "group.initial.rebalance.delay.ms=0" "num.network.threads=2" "num.io.threads=4" >"$RUN/conf/broker-$id.properties"
    java_server "broker-$id.log" 384 kafka.Kafka "$RUN/conf/broker-$id.properties"
  done
}

work_kafka() { java_work "-Dbrokers=$BROKERS"; }

fetch_bookkeeper() { fetch_jars; }

start_bookkeeper() {
  local id
  for id in 1 2 3; do
    printf '%s\n' "bookiePort=$(free_port)" "advertisedAddress=127.0.0.1" "allowLoopback=true" "listeningInterface=lo" \
      "journalDirectory=$RUN/bookie-$id/journal" "ledgerDirectories=$RUN/bookie-$id/ledgers" \
      "useHostNameAsBookieID=false" \
      "metadataServiceUri=zk+hierarchical://${CONNECT//,/;}/ledgers" "zkTimeout=15000" "httpServerEnabled=false" \
      "dbStorage_writeCacheMaxSizeMb=16" "dbStorage_readAheadCacheMaxSizeMb=16" "nettyMaxFrameSizeBytes=5253120" \
      >"$RUN/conf/bookie-$id.conf"
    ((id > 1)) || java -cp "$CACHE/lib/*" org.apache.bookkeeper.bookie.BookieShell -conf "$RUN/conf/bookie-1.conf" \
      metaformat -nonInteractive >"$RUN/metaformat.txt" 2>&1 || fail "metaformat failed; see $RUN/metaformat.txt"
    java_server "bookie-$id.log" 192 org.apache.bookkeeper.server.Main --conf "$RUN/conf/bookie-$id.conf"
  done
}

work_bookkeeper() { java_work; }

fetch_hbase() { fetch_jars; }

# A key of hbase-site.xml.
hbase_key() { echo "<property><name>$1</name><value>$2</value></property>"; }

# A master and two region servers on the local file system.
start_hbase() {
  local id flags=(--add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.nio=ALL-UNNAMED
    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.lang.reflect=ALL-UNNAMED
    --add-opens=java.base/jdk.internal.ref=ALL-UNNAMED --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED)
  {
    echo "<configuration>"
    hbase_key hbase.cluster.distributed true
    hbase_key hbase.rootdir "file://$RUN/hbase"
    hbase_key hbase.tmp.dir "$RUN/tmp"
    hbase_key hbase.zookeeper.quorum "$CONNECT"
    hbase_key zookeeper.session.timeout 30000
    hbase_key hbase.wal.provider filesystem
    hbase_key hbase.unsafe.stream.capability.enforce false
    hbase_key hbase.unsafe.regionserver.hostname localhost
    hbase_key hbase.master.hostname localhost
    hbase_key hbase.master.port "$(free_port)"
    hbase_key hbase.master.info.port -1
    hbase_key hbase.regionserver.port 0
    hbase_key hbase.regionserver.info.port -1
    hbase_key hbase.regionserver.handler.count 8
    hbase_key hbase.master.wait.on.regionservers.mintostart 2
    echo "</configuration>"
  } >"$RUN/conf/hbase-site.xml"
  java_server master.log 384 "${flags[@]}" org.apache.hadoop.hbase.master.HMaster start
  for id in 1 2; do
    java_server "region-server-$id.log" 384 "${flags[@]}" org.apache.hadoop.hbase.regionserver.HRegionServer start
  done
}

work_hbase() { java_work; }

fetch_solr() { fetch_jars; }

start_solr() {
  local id home port
  for id in 1 2; do
    home="$RUN/node-$id"
    port="$(free_port)"
    mkdir -p "$home"
    echo "<solr><solrcloud><str name=\"host\">127.0.0.1</str><int name=\"hostPort\">$port</int>" \
      "<str name=\"hostContext\">solr</str><str name=\"zkHost\">$CONNECT</str>" \
      "<int name=\"zkClientTimeout\">15000</int></solrcloud></solr>" >"$home/solr.xml"
    java_server "node-$id.log" 384 "-Dsolr.log.dir=$home" "-Dsolr.install.dir=$CACHE" "-DzkHost=$CONNECT" \
      "$HERE/solr/Server.java" "$home" "$port"
  done
}

work_solr() { java_work "-Dconfiguration=$HERE/solr/configuration"; }
