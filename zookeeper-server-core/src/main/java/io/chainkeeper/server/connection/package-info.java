/**
 * ZooKeeper's client connections, with Netty and with NIO: replies leave in the order of their requests, several of
 * them together, and are counted against the memory for replies until the system has them.
 */
package io.chainkeeper.server.connection;
