/**
 * State transfer: a replica that needs positions which no member's acceptor log holds any more fetches the files of
 * another member ({@link io.chainkeeper.server.transfer.StateFetch}), which goes on serving meanwhile ({@link
 * io.chainkeeper.server.transfer.StateSource}), and starts from them ({@link
 * io.chainkeeper.server.transfer.StateInstallation}).
 */
package io.chainkeeper.server.transfer;
