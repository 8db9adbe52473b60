package io.chainkeeper.benchmarks.load;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.proto.ConnectRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Sessions that only live, against a server that knows no more of the protocol than they do. */
public final class IdleSessionsTest {
    private static final byte[] PASSWORD = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

    private final AtomicLong lastId = new AtomicLong();
    private final Set<Long> known = ConcurrentHashMap.newKeySet();
    private final AtomicInteger returned = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();
    private ServerSocket server;
    private volatile int connectionsToDrop;

    @Before
    public void listen() throws IOException {
        server = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"));
        start(this::accept);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "fake-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                start(() -> serve(client));
            }
        } catch (IOException e) {
            assertTrue("the test has closed it", server.isClosed());
        }
    }

    private void serve(Socket client) {
        try (client) {
            if (dropped.getAndIncrement() < connectionsToDrop) {
                return;
            }
            DataInputStream in = new DataInputStream(client.getInputStream());
            in.skipBytes(Integer.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES);
            long id = in.readLong();
            boolean isNew = id == 0;
            boolean expired = !isNew && !known.contains(id);
            if (isNew) {
                id = lastId.incrementAndGet();
                known.add(id);
            } else {
                returned.incrementAndGet();
            }
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            out.writeInt(Integer.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES + PASSWORD.length + 1);
            out.writeInt(0);
            out.writeInt(expired ? 0 : 30_000);
            out.writeLong(expired ? 0 : id);
            out.writeInt(PASSWORD.length);
            out.write(PASSWORD);
            out.writeBoolean(false);
            in.transferTo(DataOutputStream.nullOutputStream());
        } catch (IOException e) {
            // The session has closed its connection.
        }
    }

    @After
    public void close() throws IOException {
        server.close();
    }

    private List<String> addresses() {
        return List.of("127.0.0.1:" + server.getLocalPort());
    }

    @Test
    public void storm_allComeBackAsWhoTheyWere() throws Exception {
        try (IdleSessions idle = IdleSessions.open(addresses(), 30)) {
            assertEquals(30, known.size());
            assertEquals(0, idle.storm().lost());
            assertEquals(30, returned.get());
            assertEquals(30, idle.storm().sessions());
            assertEquals(60, returned.get());
        }
    }

    @Test
    public void sessionsThatHaveExpired_areCountedAndStayAway() throws Exception {
        try (IdleSessions idle = IdleSessions.open(addresses(), 10)) {
            known.removeAll(List.of(3L, 7L));
            assertEquals(2, idle.storm().lost());
            assertEquals(0, idle.storm().lost());
            assertEquals(10 + 8, returned.get());
        }
    }

    @Test
    public void connectionsThatBreakAtOnce_areTriedAgain() throws Exception {
        connectionsToDrop = 2;
        try (IdleSessions idle = IdleSessions.open(addresses(), 3)) {
            assertEquals("3 idle sessions", idle.toString());
            assertEquals(3, known.size());
        }
    }

    /** ZooKeeper's own class writes the same bytes. */
    @Test
    public void firstMessage_isZooKeepers() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new ConnectRequest(0, 0, 30_000, 77, PASSWORD, false)
                .serialize(BinaryOutputArchive.getArchive(bytes), "connect");
        ByteBuf message = SessionMessages.connect(
                UnpooledByteBufAllocator.DEFAULT, new SessionMessages.Identity(77, PASSWORD, 30_000));
        assertEquals(bytes.size(), message.readInt());
        assertArrayEquals(bytes.toByteArray(), ByteBufUtil.getBytes(message));
    }
}
