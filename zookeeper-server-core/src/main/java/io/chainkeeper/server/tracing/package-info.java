/**
 * The way of single requests: which stage took how long, at the server of the client and, for commands that are traced,
 * at each server.
 */
package io.chainkeeper.server.tracing;
