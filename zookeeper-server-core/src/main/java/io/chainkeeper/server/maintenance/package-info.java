/**
 * What happens by time, or is proposed by the server itself: when clients are served, when sessions end, who names the
 * cluster, who compares the replicas' states. All of it on one thread.
 */
package io.chainkeeper.server.maintenance;
