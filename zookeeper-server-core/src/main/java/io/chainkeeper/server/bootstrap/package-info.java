/**
 * Puts a replica together from the packages beside this one, starts it and takes it apart: {@link
 * io.chainkeeper.server.bootstrap.ChainkeeperServer} is the entry.
 */
package io.chainkeeper.server.bootstrap;
