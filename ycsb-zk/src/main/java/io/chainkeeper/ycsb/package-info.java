/**
 * YCSB binding for ZooKeeper's client protocol: {@link io.chainkeeper.ycsb.ZooKeeperBinding}, started by
 * {@code bin/ycsb.sh}. Property names and the shape of the data are those of YCSB's own ZooKeeper binding.
 */
package io.chainkeeper.ycsb;
