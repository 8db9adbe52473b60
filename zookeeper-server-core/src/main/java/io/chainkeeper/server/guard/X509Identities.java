package io.chainkeeper.server.guard;

import org.apache.zookeeper.server.auth.X509AuthenticationProvider;

/**
 * What a server whose own clients have no certificates needs to know of the scheme {@code x509}: which ids are well
 * formed and which match an ACL, because it executes the requests of the clients of other servers too.
 */
public final class X509Identities extends X509AuthenticationProvider {
    /** Called by ZooKeeper's registry. */
    public X509Identities() {
        super(null, null);
    }
}
