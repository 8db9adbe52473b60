/**
 * What two replicas say to each other on a new connection before frames flow: who they are, and the proof of it.
 */
package io.chainkeeper.transport.handshake;
