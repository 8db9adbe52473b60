/**
 * What requests are measured against before they are ordered or executed: authentication schemes and access rights, the
 * disk reserve, the memory for replies, the length of transactions, and the lock that keeps reads and execution apart.
 */
package io.chainkeeper.server.guard;
