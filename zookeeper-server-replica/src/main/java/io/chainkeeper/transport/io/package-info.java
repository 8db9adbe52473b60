/**
 * The I/O thread, and frames on their way through a socket.
 */
package io.chainkeeper.transport.io;
