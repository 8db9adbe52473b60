/**
 * The files beside the order's own log: ZooKeeper's snapshots and transaction log, and the checkpoints that say which
 * position of the order they stand for.
 */
package io.chainkeeper.server.storage;
