package io.chainkeeper.test;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.zookeeper.jmx.MBeanRegistry;
import org.apache.zookeeper.jmx.ZKMBeanInfo;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * What ZooKeeper's classes keep for the whole JVM: system properties, two switches of its configuration's class, the
 * authentication providers, JMX. As it was before the first server started, so it is again when the last one has ended.
 * Safe for use by any thread.
 */
final class JvmState {
    /** Servers also change these while they run, to what their cluster was formed with. */
    private static final String[] OF_NODE_OWNERS = {"zookeeper.extendedTypesEnabled", "zookeeper.emulate353TTLNodes"};

    private static final List<String> SLOW_CLASSES = List.of(
            "org.apache.zookeeper.common.X509Util",
            "org.apache.zookeeper.server.NettyServerCnxnFactory",
            "io.chainkeeper.transport.io.Sockets");

    private static final Object LOCK = new Object();

    /** A property that servers have set, and what it was before; either may be null. */
    private record Change(String before, String ours) {}

    private static final Map<String, Change> CHANGES = new HashMap<>();
    private static int servers;
    private static boolean reconfigEnabled;
    private static boolean standaloneEnabled;
    private static MBeanRegistry beans;

    private JvmState() {}

    /** Something that starts a server. */
    @FunctionalInterface
    interface Start<T> {
        /** @throws IOException if it does not start */
        T start() throws IOException;
    }

    /**
     * Starts a server, one at a time. Followed by {@link #serverEnded}, unless this fails.
     *
     * @param start starts it
     * @return what it gives
     * @throws IOException if it does not start
     */
    static <T> T startServer(Start<T> start) throws IOException {
        synchronized (LOCK) {
            if (servers++ == 0) {
                enter();
            }
            Map<String, String> before = properties();
            Thread loading = servers == 1 ? load() : null;
            boolean started = false;
            try {
                T server = start.start();
                started = true;
                return server;
            } finally {
                awaitEnd(loading);
                note(before);
                if (!started) {
                    serverEnded();
                }
            }
        }
    }

    static void serverEnded() {
        synchronized (LOCK) {
            if (--servers == 0) {
                leave();
            }
        }
    }

    private static void enter() {
        reconfigEnabled = QuorumPeerConfig.isReconfigEnabled();
        standaloneEnabled = QuorumPeerConfig.isStandaloneEnabled();
        for (String name : OF_NODE_OWNERS) {
            CHANGES.put(name, new Change(System.getProperty(name), null));
        }
        beans = MBeanRegistry.getInstance();
        MBeanRegistry.setInstance(new NoBeans());
    }

    /** What takes a JVM long the first time, while it does the rest: a sixth of the first start. */
    private static Thread load() {
        Thread loading = new Thread(
                () -> {
                    for (String name : SLOW_CLASSES) {
                        try {
                            Class.forName(name);
                        } catch (ClassNotFoundException e) {
                            throw new IllegalStateException(name + " is missing on the class path", e);
                        }
                    }
                },
                "chainkeeper-test-loading");
        loading.setDaemon(true);
        loading.start();
        return loading;
    }

    private static void awaitEnd(Thread loading) {
        try {
            if (loading != null) {
                loading.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, String> properties() {
        Map<String, String> properties = new HashMap<>();
        System.getProperties().stringPropertyNames().forEach(name -> properties.put(name, System.getProperty(name)));
        return properties;
    }

    /** Only the thread that has started the server is likely to have set any meanwhile. */
    private static void note(Map<String, String> before) {
        properties().forEach((name, value) -> {
            if (!value.equals(before.get(name))) {
                Change earlier = CHANGES.get(name);
                CHANGES.put(name, new Change(earlier == null ? before.get(name) : earlier.before(), value));
            }
        });
    }

    private static void leave() {
        for (String name : OF_NODE_OWNERS) {
            CHANGES.computeIfPresent(name, (same, change) -> new Change(change.before(), System.getProperty(name)));
        }
        // What somebody else has set meanwhile stays.
        CHANGES.forEach((name, change) -> {
            if (Objects.equals(System.getProperty(name), change.ours())) {
                restore(name, change.before());
            }
        });
        CHANGES.clear();
        QuorumPeerConfig.setReconfigEnabled(reconfigEnabled);
        QuorumPeerConfig.setStandaloneEnabled(standaloneEnabled);
        ProviderRegistry.reset();
        MBeanRegistry.setInstance(beans);
    }

    private static void restore(String name, String value) {
        if (value == null) {
            System.clearProperty(name);
        } else {
            System.setProperty(name, value);
        }
    }

    /** The names of the beans hold the server's id only, and several ensembles have a server 1. */
    private static final class NoBeans extends MBeanRegistry {
        @Override
        public void register(ZKMBeanInfo bean, ZKMBeanInfo parent) {}

        @Override
        public void unregister(ZKMBeanInfo bean) {}
    }
}
