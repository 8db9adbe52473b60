package io.chainkeeper.benchmarks.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Many sessions that only say that they live, on one thread: ZooKeeper's client has two threads for each. They speak
 * ZooKeeper's protocol as far as sessions need it. A session whose connection breaks comes back by itself, at the next
 * server, after a second.
 */
public final class IdleSessions implements AutoCloseable {
    private static final int OPENING_AT_ONCE = 200;
    private static final long PATIENCE_SECONDS = 300;
    private static final long PINGS_PER_TIMEOUT = 3;
    private static final int RETRY_MILLIS = 1_000;
    private static final int CONNECT_MILLIS = 30_000;
    private static final int MAX_ANSWER_BYTES = 1 << 20;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<InetSocketAddress> servers;
    private final List<Session> sessions = new ArrayList<>();
    private final Bootstrap bootstrap;
    private final AtomicInteger lost = new AtomicInteger();

    /** Those of this round of connecting that are there, or lost. */
    private final Semaphore arrived = new Semaphore(0);

    private volatile boolean closing;

    /**
     * How sessions came back that had all lost their connections at once.
     *
     * @param sessions how many
     * @param secondsToReturn until the last of them had a connection again, or was told that it has expired
     * @param lost how many had expired
     */
    public record Storm(int sessions, double secondsToReturn, int lost) {}

    private IdleSessions(List<String> addresses) {
        servers = addresses.stream().map(IdleSessions::address).toList();
        bootstrap = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true);
    }

    private static InetSocketAddress address(String server) {
        int colon = server.lastIndexOf(':');
        return new InetSocketAddress(server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
    }

    /**
     * Opens sessions at servers in turn, some at a time, and waits for all.
     *
     * @param addresses client addresses of the servers
     * @param count how many sessions
     * @return the sessions, connected
     * @throws IOException if some are not connected in time
     */
    public static IdleSessions open(List<String> addresses, int count) throws IOException, InterruptedException {
        IdleSessions idle = new IdleSessions(addresses);
        try {
            for (int i = 0; i < count; i++) {
                Session session = idle.new Session(i);
                idle.sessions.add(session);
                idle.group.execute(session::connect);
                if (i >= OPENING_AT_ONCE) {
                    idle.await(1);
                }
            }
            idle.await(Math.min(count, OPENING_AT_ONCE));
            if (idle.lost.get() > 0) {
                throw new IOException(idle.lost.get() + " of " + count + " sessions were refused");
            }
            return idle;
        } catch (IOException | InterruptedException | RuntimeException e) {
            idle.close();
            throw e;
        }
    }

    private void await(int count) throws IOException, InterruptedException {
        if (!arrived.tryAcquire(count, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException(
                    "some of " + sessions.size() + " sessions have no connection after " + PATIENCE_SECONDS + " s");
        }
    }

    /**
     * All sessions give up their connections at once and come back, each at the next server, as after a partition: the
     * server that had a session does not know yet that its connection is worth nothing.
     *
     * @return how it went
     * @throws IOException if some have neither a connection nor an answer in time
     */
    public Storm storm() throws IOException, InterruptedException {
        int lostBefore = lost.get();
        long start = System.nanoTime();
        group.execute(() -> sessions.forEach(Session::reconnect));
        await(sessions.size() - lostBefore);
        double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
        return new Storm(sessions.size(), seconds, lost.get() - lostBefore);
    }

    /** One session. Used by the one thread only. */
    private final class Session {
        private int server;
        private SessionMessages.Identity identity = SessionMessages.Identity.NEW;
        private Channel channel;
        private boolean awaited = true;
        private boolean expired;

        Session(int index) {
            server = index % servers.size();
        }

        void connect() {
            if (closing || expired) {
                return;
            }
            ChannelFuture connecting = bootstrap
                    .clone()
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel made) {
                            made.pipeline()
                                    .addLast(new LengthFieldBasedFrameDecoder(MAX_ANSWER_BYTES, 0, 4, 0, 4))
                                    .addLast(new Answers(Session.this));
                        }
                    })
                    .connect(servers.get(server));
            channel = connecting.channel();
            connecting.addListener(done -> {
                Channel made = connecting.channel();
                if (done.isSuccess()) {
                    made.writeAndFlush(SessionMessages.connect(made.alloc(), identity));
                } else {
                    broken(made);
                }
            });
        }

        void reconnect() {
            if (expired) {
                return;
            }
            Channel old = channel;
            awaited = true;
            server = (server + 1) % servers.size();
            connect();
            // The server learns late that nobody is there any more.
            group.schedule((Runnable) old::close, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }

        void welcomed(SessionMessages.Identity given) {
            if (given.timeoutMillis() <= 0) {
                expired = true;
                lost.incrementAndGet();
                channel.close();
            } else {
                identity = given;
                ping(channel);
            }
            if (awaited) {
                awaited = false;
                arrived.release();
            }
        }

        private void ping(Channel on) {
            group.schedule(
                    () -> {
                        if (on == channel && on.isActive()) {
                            on.writeAndFlush(SessionMessages.ping(on.alloc()));
                            ping(on);
                        }
                    },
                    identity.timeoutMillis() / PINGS_PER_TIMEOUT,
                    TimeUnit.MILLISECONDS);
        }

        void broken(Channel of) {
            if (of == channel && !closing && !expired) {
                server = (server + 1) % servers.size();
                group.schedule(this::connect, RETRY_MILLIS, TimeUnit.MILLISECONDS);
            }
        }
    }

    /** What comes on one connection: first who the session is, then answers to pings. */
    private static final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
        private final Session session;
        private boolean welcomed;

        Answers(Session session) {
            this.session = session;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
            if (!welcomed && context.channel() == session.channel) {
                welcomed = true;
                session.welcomed(SessionMessages.identity(frame));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            session.broken(context.channel());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
            context.close(); // a connection that breaks is a session that comes back
        }
    }

    /** Closes all connections; their sessions end by their timeouts. */
    @Override
    public void close() {
        closing = true;
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Override
    public String toString() {
        return sessions.size() + " idle sessions";
    }
}
