/** What a replica does beside its order: one task at a time for each concern, on a thread or by whoever drives it. */
package io.chainkeeper.server.background;
