package io.chainkeeper.server.guard;

import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;

/** The scheme {@code sasl} at a server that has not been given it: known for what the clients of other servers do. */
public final class SaslIdentities extends SASLAuthenticationProvider {}
