/** How protocols describe the keys that a user may set, so that all of them check and refuse alike. Pure. */
package io.chainkeeper.ordering.settings;
