/** The server's way into the order, and who waits for a proposal that comes back. */
package io.chainkeeper.server.proposal;
