/**
 * Links between replicas: one TCP connection per pair of members, opened by the one with the larger id, carrying
 * length-prefixed frames after a versioned handshake; beside them, over the same port, connections for bulk requests,
 * opened by whoever asks. Knows bytes and replica ids, nothing of any protocol.
 */
package io.chainkeeper.transport;
