package io.chainkeeper.server.request;

import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.InvalidACLException;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.PrepRequestProcessor;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * {@code zookeeper.enableEagerACLCheck}: whether a client has a right to its write, according to this replica's tree
 * before the write is ordered. What ZooKeeper's own {@code authWriteRequest} checks; that answers by itself, past the
 * requests that wait. Safe for use by any thread.
 */
final class EagerAccessCheck {
    private final OrderedZooKeeperServer server;

    /** @param server has the tree */
    EagerAccessCheck(OrderedZooKeeperServer server) {
        this.server = server;
    }

    /**
     * @param request a write that decodes
     * @return the error to answer with; null if nothing is known against it, or the check is off
     */
    KeeperException refusal(Request request) {
        if (!ZooKeeperServer.isEnableEagerACLCheck()) {
            return null;
        }
        try {
            switch (request.type) {
                case OpCode.create, OpCode.create2 -> {
                    CreateRequest create = request.readRequestRecord(CreateRequest::new);
                    check(request, parent(create.getPath()), Perms.CREATE, create.getAcl());
                }
                case OpCode.delete -> {
                    DeleteRequest delete = request.readRequestRecord(DeleteRequest::new);
                    check(request, parent(delete.getPath()), Perms.DELETE);
                }
                case OpCode.setData -> {
                    SetDataRequest set = request.readRequestRecord(SetDataRequest::new);
                    check(request, set.getPath(), Perms.WRITE);
                }
                case OpCode.setACL -> {
                    SetACLRequest set = request.readRequestRecord(SetACLRequest::new);
                    check(request, set.getPath(), Perms.ADMIN, set.getAcl());
                }
                default -> {
                    // ZooKeeper checks no others early.
                }
            }
            return null;
        } catch (NoAuthException | InvalidACLException e) {
            return e;
        } catch (IOException e) {
            throw new IllegalStateException("a request that decoded before does not decode any more: " + request, e);
        }
    }

    private void check(Request request, String path, int permission, List<ACL> set)
            throws NoAuthException, InvalidACLException {
        if (path != null) {
            PrepRequestProcessor.fixupACL(path, request.authInfo, set);
            check(request, path, permission);
        }
    }

    private void check(Request request, String path, int permission) throws NoAuthException {
        if (path == null) {
            return;
        }
        List<ACL> list;
        try {
            list = server.getZKDatabase().getACL(path, null);
        } catch (NoNodeException e) {
            // A write in front of this one may still create it.
            return;
        }
        server.checkACL(request.cnxn, list, permission, request.authInfo, path, null);
    }

    /** Null if only execution can say what is wrong with the path. */
    private String parent(String path) {
        int slash = path == null ? -1 : path.lastIndexOf('/');
        if (slash < 0 || path.indexOf('\0') >= 0 || server.getZKDatabase().isSpecialPath(path)) {
            return null;
        }
        return slash == 0 ? "/" : path.substring(0, slash);
    }
}
