/**
 * The replicated state beside ZooKeeper's tree: equal on every replica at the same position, changed only by what is
 * executed, part of each checkpoint.
 */
package io.chainkeeper.server.state;
