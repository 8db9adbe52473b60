/**
 * Subclasses of ZooKeeper's server, database, tree and quorum peer. What they ask of the packages above is a small
 * interface beside them, handed in by whoever puts the replica together.
 */
package io.chainkeeper.server.zookeeper;
