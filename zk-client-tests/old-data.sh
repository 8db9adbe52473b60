#!/usr/bin/env bash
# Makes src/test/resources/old-data/zookeeper-VERSION.zip anew: data directories of ensembles of old versions of Apache
# ZooKeeper, for the tests of moving in. Needs Maven Central and a built source tree (mvn -q -DskipTests package).
# Usage: zk-client-tests/old-data.sh [VERSION ...]

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
if (($# == 0)); then
  set -- 3.5.10 3.8.4 3.9.5
fi
work="$(pwd)/target/old-data"
mkdir -p "$work" src/test/resources/old-data
[[ -d target/test-classes ]] || {
  echo "Error: no classes in $(pwd)/target/test-classes; build them with: mvn -q -DskipTests package" >&2
  exit 1
}
for version in "$@"; do
  home="$work/$version"
  rm -rf "$home"
  mkdir -p "$home"
  cat >"$home/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.chainkeeper</groupId>
  <artifactId>old-data</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.zookeeper</groupId>
      <artifactId>zookeeper</artifactId>
      <version>$version</version>
    </dependency>
    <!-- parts of a distribution that the artifact leaves out, and the server does not do without -->
    <dependency>
      <groupId>org.xerial.snappy</groupId>
      <artifactId>snappy-java</artifactId>
      <version>1.1.10.5</version>
    </dependency>
    <dependency>
      <groupId>io.dropwizard.metrics</groupId>
      <artifactId>metrics-core</artifactId>
      <version>4.1.12.1</version>
    </dependency>
  </dependencies>
</project>
POM
  mvn -B -q -f "$home/pom.xml" dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$home/lib"
  java -cp "target/test-classes:../zookeeper-server-replica/target/test-classes:../zookeeper-assembly/target/lib/*" io.chainkeeper.clienttests.harness.OldDataMaker \
    "$home/lib/*" "$home/work" "src/test/resources/old-data/zookeeper-$version.zip"
done
