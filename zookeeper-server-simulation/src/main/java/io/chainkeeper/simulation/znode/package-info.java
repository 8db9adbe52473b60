/**
 * ZooKeeper's tree and sessions above the order: the server's own executor, and clients with sessions, watches and
 * connections that break.
 */
package io.chainkeeper.simulation.znode;
