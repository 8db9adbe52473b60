/**
 * What the protocols share: ballots, and which disk a replica's promises are remembered on. As pure as the contract
 * itself.
 */
package io.chainkeeper.ordering.acceptor;
