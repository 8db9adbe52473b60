/**
 * Execution of ordered commands by one thread, deterministically: request to transaction to tree. Only what a command
 * carries and what earlier commands left behind may influence the result.
 */
package io.chainkeeper.server.execution;
