/**
 * What the protocols share on the side of those who propose: commands on their way into the order. As pure as the
 * contract itself.
 */
package io.chainkeeper.ordering.proposer;
