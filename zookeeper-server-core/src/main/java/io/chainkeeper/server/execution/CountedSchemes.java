package io.chainkeeper.server.execution;

import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.state.ReplicatedState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.jute.Record;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.ServerAuthenticationProvider;

/**
 * Which schemes count in what is executed: those of ZooKeeper, and of providers of the user's own those that all
 * replicas know at that position ({@link ReplicatedState#agreedSchemes}). So this replica's own providers are asked
 * only about what all others ask theirs. Used by the apply thread, {@link #counted} by any.
 */
final class CountedSchemes {
    private static final String AUTH = "auth";

    private final ReplicatedState state;
    private final SortedMap<String, String> own;

    /**
     * @param state the replicated state
     * @param own the schemes that this replica knows besides those of ZooKeeper
     */
    CountedSchemes(ReplicatedState state, Map<String, String> own) {
        this.state = state;
        this.own = new TreeMap<>(own);
    }

    /**
     * @param ids a client's identities, may be null
     * @return those whose schemes count; the same list if they are all
     */
    List<Id> counted(List<Id> ids) {
        SortedMap<String, String> agreed = state.agreedSchemes();
        if (ids == null || agreed == null) {
            return ids;
        }
        for (Id id : ids) {
            if (!counts(id.getScheme(), agreed)) {
                return ids.stream()
                        .filter(each -> counts(each.getScheme(), agreed))
                        .toList();
            }
        }
        return ids;
    }

    private static boolean counts(String scheme, SortedMap<String, String> agreed) {
        return scheme == null || AuthenticationSchemes.isOfZooKeeper(scheme) || agreed.containsKey(scheme);
    }

    /**
     * Makes access lists that name what does not count invalid, and takes care that scheme {@code auth} stands only for
     * identities that count.
     *
     * @param record of one operation
     * @param ids its client's identities, may be null
     */
    void restrict(Record record, List<Id> ids) {
        List<ACL> acl = ExecutableRequests.acl(record);
        SortedMap<String, String> agreed = state.agreedSchemes();
        if (acl == null || agreed == null) {
            return;
        }
        Predicate<String> counts = scheme -> counts(scheme, agreed);
        if (AuthenticationSchemes.namesUnknown(acl, counts)) {
            acl = AuthenticationSchemes.invalidated(acl, counts);
            ExecutableRequests.setAcl(record, acl);
        }
        List<Id> counted = counted(ids);
        if (counted != ids) {
            ExecutableRequests.setAcl(record, authReplaced(acl, counted));
        }
    }

    /** ZooKeeper would take all of the client's identities: here auth is replaced by those that count. */
    private List<ACL> authReplaced(List<ACL> acl, List<Id> ids) {
        List<ACL> replaced = new ArrayList<>();
        for (ACL entry : acl) {
            Id id = entry == null ? null : entry.getId();
            if (id == null || !AUTH.equals(id.getScheme())) {
                replaced.add(entry);
                continue;
            }
            int before = replaced.size();
            for (Id identity : ids) {
                if (isAuthenticated(identity)) {
                    replaced.add(new ACL(entry.getPerms(), identity));
                }
            }
            if (replaced.size() == before) {
                replaced.add(new ACL(entry.getPerms(), new Id("", "")));
            }
        }
        return replaced;
    }

    private boolean isAuthenticated(Id id) {
        ServerAuthenticationProvider provider =
                id.getScheme() == null ? null : ProviderRegistry.getServerProvider(id.getScheme());
        return provider != null && provider.isAuthenticated();
    }

    /**
     * Finds out whether this replica can execute a request as the others do.
     *
     * @param command a client's request
     * @param requests reads its record
     * @return a scheme that counts and that this replica lacks, although the request uses it; null if there is none
     */
    String lacked(Command.ClientRequest command, RequestExecutor requests) {
        SortedMap<String, String> agreed = state.agreedSchemes();
        if (agreed == null || own.entrySet().containsAll(agreed.entrySet())) {
            return null;
        }
        if (command.authIds() != null) {
            for (AuthId id : command.authIds()) {
                if (isLacked(id.scheme(), agreed)) {
                    return id.scheme();
                }
            }
        }
        try {
            Record record = decode(command, requests);
            if (record instanceof MultiOperationRecord multi) {
                for (Op op : multi) {
                    String lacked = lacked(ExecutableRequests.acl(op.toRequestRecord()), agreed);
                    if (lacked != null) {
                        return lacked;
                    }
                }
                return null;
            }
            return lacked(ExecutableRequests.acl(record), agreed);
        } catch (IOException | RuntimeException e) {
            return null; // Every replica answers that it does not decode.
        }
    }

    private static Record decode(Command.ClientRequest command, RequestExecutor requests) throws IOException {
        if (command.payload() == null) {
            return null;
        }
        return switch (command.opcode()) {
            case OpCode.create, OpCode.create2, OpCode.createContainer ->
                requests.remoteRequest(command).readRequestRecord(CreateRequest::new);
            case OpCode.createTTL -> requests.remoteRequest(command).readRequestRecord(CreateTTLRequest::new);
            case OpCode.setACL -> requests.remoteRequest(command).readRequestRecord(SetACLRequest::new);
            case OpCode.multi -> requests.remoteRequest(command).readRequestRecord(MultiOperationRecord::new);
            default -> null;
        };
    }

    private String lacked(List<ACL> acl, SortedMap<String, String> agreed) {
        if (acl != null) {
            for (ACL entry : acl) {
                Id id = entry == null ? null : entry.getId();
                if (id != null && isLacked(id.getScheme(), agreed)) {
                    return id.getScheme();
                }
            }
        }
        return null;
    }

    private boolean isLacked(String scheme, SortedMap<String, String> agreed) {
        return scheme != null
                && agreed.containsKey(scheme)
                && !agreed.get(scheme).equals(own.get(scheme));
    }
}
