/**
 * What travels through the order: one client request, or one event of the server itself, encoded once by the replica
 * that proposes it. Knows bytes only; the server above gives them their meaning.
 */
package io.chainkeeper.command;
