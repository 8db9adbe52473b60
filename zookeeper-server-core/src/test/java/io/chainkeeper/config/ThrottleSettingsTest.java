package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.server.BlueThrottle;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestThrottler;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The throttles' keys under the names of ZooKeeper's documentation reach ZooKeeper's throttles. */
public class ThrottleSettingsTest {
    private static final String SYSTEM_PREFIX = "zookeeper.";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Map<String, String> before = new TreeMap<>();

    @Before
    public void noteProperties() {
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(SYSTEM_PREFIX))
                .forEach(name -> before.put(name, System.getProperty(name)));
    }

    @After
    public void putPropertiesBack() {
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(SYSTEM_PREFIX))
                .forEach(System::clearProperty);
        before.forEach(System::setProperty);
    }

    private void parse(String... lines) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "tickTime=2000",
                "initLimit=10",
                "syncLimit=5",
                "clientPort=2181",
                "dataDir=" + folder.getRoot(),
                "server.1=127.0.0.1:2888:3888",
                "server.2=127.0.0.1:2889:3889",
                "server.3=127.0.0.1:2890:3890"));
        all.addAll(List.of(lines));
        Path zooCfg = Files.write(folder.getRoot().toPath().resolve("zoo.cfg"), all);
        Files.writeString(folder.getRoot().toPath().resolve("myid"), "1\n");
        new QuietPeerConfig(1).parse(zooCfg.toString());
    }

    /** ZooKeeper reads them once per JVM, when its classes are loaded: a loader of its own loads them again. */
    private static final class Server implements AutoCloseable {
        private final URLClassLoader loader;

        Server() throws Exception {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        }

        Class<?> type(Class<?> known) throws Exception {
            return Class.forName(known.getName(), true, loader);
        }

        Object get(Class<?> known, String getter) throws Exception {
            return type(known).getMethod(getter).invoke(null);
        }

        @Override
        public void close() throws Exception {
            loader.close();
        }
    }

    @Test
    public void keysOfConnectionThrottle_reachIt() throws Exception {
        parse(
                "connectionMaxTokens=21",
                "connectionTokenFillTime=22",
                "connectionTokenFillCount=23",
                "connectionFreezeTime=24",
                "connectionDropIncrease=0.25",
                "connectionDropDecrease=0.026",
                "connectionDecreaseRatio=0.5");
        try (Server server = new Server()) {
            Class<?> type = server.type(BlueThrottle.class);
            Object throttle = type.getConstructor().newInstance();
            assertEquals(21, type.getMethod("getMaxTokens").invoke(throttle));
            assertEquals(22, type.getMethod("getFillTime").invoke(throttle));
            assertEquals(23, type.getMethod("getFillCount").invoke(throttle));
            assertEquals(24, type.getMethod("getFreezeTime").invoke(throttle));
            assertEquals(0.25, type.getMethod("getDropIncrease").invoke(throttle));
            assertEquals(0.026, type.getMethod("getDropDecrease").invoke(throttle));
            assertEquals(0.5, type.getMethod("getDecreasePoint").invoke(throttle));
        }
    }

    @Test
    public void keysOfRequestThrottle_reachIt() throws Exception {
        parse(
                "requestThrottleLimit=31",
                "requestThrottleStallTime=32",
                "requestThrottleDropStale=false",
                "requestStaleLatencyCheck=true",
                "requestStaleConnectionCheck=false",
                "throttledOpWaitTime=33");
        try (Server server = new Server()) {
            assertEquals(31, server.get(RequestThrottler.class, "getMaxRequests"));
            assertEquals(32, server.get(RequestThrottler.class, "getStallTime"));
            assertEquals(false, server.get(RequestThrottler.class, "getDropStaleRequests"));
            assertEquals(true, server.get(Request.class, "getStaleLatencyCheck"));
            assertEquals(false, server.get(Request.class, "getStaleConnectionCheck"));
            assertEquals(33, server.get(ZooKeeperServer.class, "getThrottledOpWaitTime"));
        }
    }

    @Test
    public void keyThatIsTheProperty_goesBeforeTheDocumentedOne() throws Exception {
        parse("requestThrottleLimit=41", "request_throttle_max_requests=42");
        assertEquals("42", System.getProperty("zookeeper.request_throttle_max_requests"));
        assertNull(System.getProperty("zookeeper.requestThrottleLimit"));
    }
}
