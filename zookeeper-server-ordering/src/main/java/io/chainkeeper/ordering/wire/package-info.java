/** Parts that the messages of several protocols have. Pure. */
package io.chainkeeper.ordering.wire;
