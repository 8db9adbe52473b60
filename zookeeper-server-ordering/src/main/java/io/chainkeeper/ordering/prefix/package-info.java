/** What protocols share to notice that two replicas hold different orders (docs/decisions/024). */
package io.chainkeeper.ordering.prefix;
