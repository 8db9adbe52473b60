/** Puts in words what the files of an ordering directory hold; runs in tools, not in a server. */
package io.chainkeeper.server.inspection;
