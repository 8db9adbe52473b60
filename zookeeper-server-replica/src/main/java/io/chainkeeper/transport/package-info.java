/**
 * Links between replicas, as the rest of the server sees them: one TCP connection per pair of members, opened by the
 * one with the larger id, carrying length-prefixed frames after a versioned handshake; beside them, over the same port,
 * connections for bulk requests, opened by the replica that asks. Knows bytes and replica ids, nothing of any protocol.
 *
 * <p>This package is the contract and its settings. {@code netty} implements it with {@code link} and {@code bulk},
 * which share {@code handshake} and {@code io}.
 */
package io.chainkeeper.transport;
