package io.chainkeeper.benchmarks.relay;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Real connections through a relay. That delays are not too long is {@link DelayLineTest}'s, on a clock of its own. */
public final class RelayTest {
    private static final long ONE_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int PATIENCE_MILLIS = 60_000;

    private ServerSocket echo;
    private Thread echoServer;
    private Relay relay;

    @Before
    public void listen() throws IOException {
        echo = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
        echoServer = new Thread(this::serve, "echo");
        echoServer.setDaemon(true);
        echoServer.start();
        relay = Relay.open(new InetSocketAddress(echo.getInetAddress(), echo.getLocalPort()), ONE_WAY_NANOS);
    }

    private void serve() {
        try {
            while (true) {
                try (Socket client = echo.accept()) {
                    client.getInputStream().transferTo(client.getOutputStream());
                }
            }
        } catch (IOException e) {
            assertTrue("the test has closed it", echo.isClosed());
        }
    }

    @After
    public void close() throws IOException {
        relay.close();
        echo.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", relay.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    @Test
    public void thereAndBack_takesTwiceTheDelay() throws IOException {
        try (Socket socket = connect()) {
            for (int i = 0; i < 3; i++) {
                long start = System.nanoTime();
                socket.getOutputStream().write(i);
                assertEquals(i, socket.getInputStream().read());
                assertTrue(System.nanoTime() - start >= 2 * ONE_WAY_NANOS);
            }
        }
    }

    @Test
    public void manyBytes_arriveAllInOrderAndThenTheEnd() throws IOException {
        byte[] sent = new byte[1 << 20];
        new Random(5).nextBytes(sent);
        try (Socket socket = connect()) {
            socket.getOutputStream().write(sent);
            socket.shutdownOutput();
            byte[] received = new byte[sent.length];
            new DataInputStream(socket.getInputStream()).readFully(received);
            assertArrayEquals(sent, received);
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    public void nobodyListens_connectionIsClosed() throws IOException, InterruptedException {
        echo.close();
        // A thread that is in accept() still takes a connection that comes before it has noticed the closing.
        echoServer.join(PATIENCE_MILLIS);
        assertFalse(echoServer.isAlive());
        try (Socket socket = connect()) {
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    public void relayIsClosed_itsConnectionsAreToo() throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(7);
            assertEquals(7, socket.getInputStream().read());
            relay.close();
            assertEquals(-1, socket.getInputStream().read());
        }
    }
}
