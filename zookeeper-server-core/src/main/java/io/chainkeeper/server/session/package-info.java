/**
 * Sessions: what is replicated about them ({@link io.chainkeeper.server.session.SessionTable}), what only their owner
 * knows ({@link io.chainkeeper.server.session.OwnedSessions}), and who ends them ({@link
 * io.chainkeeper.server.session.SessionKeeper}).
 */
package io.chainkeeper.server.session;
