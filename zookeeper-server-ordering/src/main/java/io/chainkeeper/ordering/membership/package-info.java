/**
 * What replicas that propose memberships have in common in all protocols. As pure as the contract itself.
 */
package io.chainkeeper.ordering.membership;
