/**
 * What proposers have in common in all protocols: queues of commands on their way into the order. As pure as the
 * contract itself.
 */
package io.chainkeeper.ordering.proposer;
