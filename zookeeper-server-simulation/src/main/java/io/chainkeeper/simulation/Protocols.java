package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The protocols on the class path. */
public final class Protocols {
    private Protocols() {}

    /** @return all of them, by name */
    public static Map<String, OrderingProtocolFactory> all() {
        Map<String, OrderingProtocolFactory> found = new TreeMap<>();
        ServiceLoader.load(OrderingProtocolFactory.class).forEach(factory -> found.put(factory.name(), factory));
        return found;
    }

    /**
     * Finds a protocol.
     *
     * @param name as in {@code ordering.protocol}
     * @return its factory
     * @throws IllegalArgumentException if there is none; the message names those there are
     */
    public static OrderingProtocolFactory named(String name) {
        Map<String, OrderingProtocolFactory> found = all();
        OrderingProtocolFactory factory = found.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no protocol is named " + name + "; there are " + found.keySet());
        }
        return factory;
    }
}
