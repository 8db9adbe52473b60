package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One connection that a {@link LinkRelay} has accepted and the one to its target. Belongs to the relay's thread.
 *
 * <p>The target is connected to when neither direction is cut: before that one of the packets that open a connection
 * would be lost.
 */
final class RelayedConnection {
    private static final int BUFFER_BYTES = 64 << 10;

    /** One socket of the two. */
    private static final class End {
        private final SocketChannel channel;
        private final SelectionKey key;
        private final int server;

        /** Nothing more goes to it: it is closed, or broken. */
        private boolean gone;

        private End(SocketChannel channel, Selector selector, int server, RelayedConnection owner) throws IOException {
            this.channel = channel;
            this.server = server;
            channel.configureBlocking(false);
            option(StandardSocketOptions.TCP_NODELAY, true);
            // Closing without having told the peer everything has to look like a broken connection.
            option(StandardSocketOptions.SO_LINGER, 0);
            this.key = channel.register(selector, 0, owner);
        }

        private <T> void option(SocketOption<T> option, T value) throws IOException {
            channel.setOption(option, value);
        }

        private boolean isConnected() {
            return channel.isConnected();
        }

        private void close() {
            gone = true;
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The bytes from one end to the other. */
    private static final class Direction {
        private final End source;
        private final End sink;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        private boolean sourceEnded;
        private boolean sourceBroken;
        private boolean finished;

        private Direction(End source, End sink) {
            this.source = source;
            this.sink = sink;
        }

        /** Moves what can be moved. */
        private void move() {
            boolean moved = true;
            while (moved && !finished) {
                moved = read() | write();
            }
            if (!finished && buffer.position() == 0 && (sourceEnded || sourceBroken)) {
                finish();
            }
        }

        private boolean read() {
            if (sourceEnded || sourceBroken || source.gone || !buffer.hasRemaining()) {
                sourceBroken |= source.gone;
                return false;
            }
            try {
                int count = source.channel.read(buffer);
                sourceEnded = count < 0;
                return count > 0;
            } catch (IOException e) {
                sourceBroken = true;
                source.close();
                return false;
            }
        }

        private boolean write() {
            if (sink.gone) {
                buffer.clear();
                return false;
            }
            buffer.flip();
            try {
                return sink.channel.write(buffer) > 0;
            } catch (IOException e) {
                buffer.clear().flip();
                sink.close();
                return false;
            } finally {
                buffer.compact();
            }
        }

        private void finish() {
            finished = true;
            if (sourceBroken) {
                sink.close();
            } else if (!sink.gone) {
                try {
                    sink.channel.shutdownOutput();
                } catch (IOException e) {
                    sink.close();
                }
            }
        }

        private int interestInSource() {
            return finished || sourceEnded || !buffer.hasRemaining() ? 0 : SelectionKey.OP_READ;
        }

        private int interestInSink() {
            return finished || buffer.position() == 0 ? 0 : SelectionKey.OP_WRITE;
        }
    }

    private final End opener;
    private final End target;
    private final InetSocketAddress targetAddress;
    private final Direction there;
    private final Direction back;
    private final boolean[][] cuts;
    private boolean connecting;

    /**
     * @param accepted what {@code from} has opened
     * @param target where {@code to} listens
     * @param cuts by sender and receiver; the relay changes them and calls {@link #progress()}
     */
    RelayedConnection(
            Selector selector, SocketChannel accepted, InetSocketAddress target, int from, int to, boolean[][] cuts)
            throws IOException {
        this.opener = new End(accepted, selector, from, this);
        this.target = new End(SocketChannel.open(), selector, to, this);
        this.targetAddress = target;
        this.there = new Direction(opener, this.target);
        this.back = new Direction(this.target, opener);
        this.cuts = cuts;
    }

    boolean isBetween(int one, int other) {
        return opener.server == one && target.server == other || opener.server == other && target.server == one;
    }

    boolean isClosed() {
        return opener.gone && target.gone;
    }

    /** Tells both sides that the connection is broken. */
    void reset() {
        opener.close();
        target.close();
    }

    /** Does what is possible now and asks to be called when more is. */
    void progress() {
        if (isClosed()) {
            return;
        }
        if (!target.isConnected() && !connect()) {
            return;
        }
        if (!isCut(there)) {
            there.move();
        }
        if (!isCut(back)) {
            back.move();
        }
        if (there.finished && back.finished) {
            reset();
        }
        awaitNext();
    }

    private boolean isCut(Direction direction) {
        return cuts[direction.source.server][direction.sink.server];
    }

    private boolean connect() {
        if (isCut(there) || isCut(back)) {
            return false;
        }
        try {
            boolean connected = connecting ? target.channel.finishConnect() : target.channel.connect(targetAddress);
            connecting = true;
            if (!connected) {
                target.key.interestOps(SelectionKey.OP_CONNECT);
            }
            return connected;
        } catch (IOException e) {
            reset();
            return false;
        }
    }

    private void awaitNext() {
        int opener = 0;
        int target = 0;
        if (!isCut(there)) {
            opener |= there.interestInSource();
            target |= there.interestInSink();
        }
        if (!isCut(back)) {
            target |= back.interestInSource();
            opener |= back.interestInSink();
        }
        await(this.opener, opener);
        await(this.target, target);
    }

    private static void await(End end, int interest) {
        if (!end.gone) {
            end.key.interestOps(interest);
        }
    }
}
