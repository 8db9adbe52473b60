/**
 * One script of operations, run against a stock ZooKeeper server and against a running ensemble. Results, error codes,
 * events and reply bytes must be the same; what cannot be the same (times, session ids, passwords, absolute zxids) is
 * masked in one place, {@link io.chainkeeper.clienttests.compat.ReplyMask}.
 */
package io.chainkeeper.clienttests.compat;
