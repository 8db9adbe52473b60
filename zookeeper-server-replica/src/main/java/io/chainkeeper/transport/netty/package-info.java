/**
 * The transport itself: the port, who accepts and opens connections, and the parts of which each connection is one.
 */
package io.chainkeeper.transport.netty;
