/**
 * Links that carry the frames of the order: one connection per peer, opened again whenever it breaks.
 */
package io.chainkeeper.transport.link;
