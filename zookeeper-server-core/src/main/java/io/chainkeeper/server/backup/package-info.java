/**
 * Backups of a member outside its directories: taken while it runs, proved by loading them, and brought back as of any
 * transaction. Nothing here runs inside a server.
 */
package io.chainkeeper.server.backup;
