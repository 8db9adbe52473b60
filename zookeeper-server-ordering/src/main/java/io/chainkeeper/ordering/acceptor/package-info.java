/**
 * What acceptors have in common: ballots, and which disk remembers the promises of a replica. As pure as the contract
 * itself.
 */
package io.chainkeeper.ordering.acceptor;
