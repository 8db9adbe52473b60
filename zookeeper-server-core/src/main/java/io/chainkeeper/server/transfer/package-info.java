/**
 * State transfer: a replica that needs positions which no member's acceptor log holds any more fetches the files of
 * another member ({@link io.chainkeeper.server.transfer.SnapshotReceiver}), which goes on serving meanwhile ({@link
 * io.chainkeeper.server.transfer.SnapshotSender}), and starts from them ({@link
 * io.chainkeeper.server.transfer.SnapshotInstaller}).
 */
package io.chainkeeper.server.transfer;
