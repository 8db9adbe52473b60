package io.chainkeeper.server.guard;

import java.util.List;
import javax.servlet.http.HttpServletRequest;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;

/**
 * The scheme {@code digest} at a server with {@code DigestAuthenticationProvider.enabled=false}: its own clients cannot
 * use it, but it is known for what the clients of other servers do.
 */
public final class DigestIdentities extends DigestAuthenticationProvider {
    @Override
    public Code handleAuthentication(ServerCnxn connection, byte[] password) {
        return Code.AUTHFAILED;
    }

    @Override
    public List<Id> handleAuthentication(HttpServletRequest request, byte[] password) {
        return List.of();
    }
}
