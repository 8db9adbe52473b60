package io.chainkeeper.transport;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Turns a member's host name into addresses. Called anew at every attempt to connect; may block. Thread-safe. */
@FunctionalInterface
public interface HostResolver {
    /**
     * The resolver of the platform. The JVM keeps its answers for {@code networkaddress.cache.ttl} seconds (and
     * failures for {@code networkaddress.cache.negative.ttl}); a process that must follow changing addresses sets both
     * low before the first look-up.
     */
    HostResolver PLATFORM = host -> List.of(InetAddress.getAllByName(host));

    /**
     * Looks a name up.
     *
     * @param host name or literal address
     * @return its addresses in the order in which they are to be tried, at least one
     * @throws UnknownHostException if the name has no address at the moment
     */
    List<InetAddress> resolve(String host) throws UnknownHostException;
}
