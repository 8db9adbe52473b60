/**
 * What the protocols share on the side of those who propose memberships. As pure as the contract itself.
 */
package io.chainkeeper.ordering.membership;
