/**
 * The ZooKeeper server on top of a total order: ZooKeeper's own connections, tree, watches and files, driven by
 * commands that every replica executes in the same order.
 */
package io.chainkeeper.server;
