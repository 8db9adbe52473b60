package io.chainkeeper.server.request;

import io.chainkeeper.command.AccessRules;
import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.guard.ClientRights;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.Request;

/** Turns ZooKeeper's requests into commands. Stateless. */
final class RequestCommands {
    private RequestCommands() {}

    static Command.ClientRequest command(
            Request request,
            byte[] payload,
            int quotaRefusedOp,
            int lackedSchemes,
            boolean local,
            long wallClockMillis) {
        List<AuthId> ids = null;
        // The end of a session asks for no right, and must not fail for want of room.
        if (request.authInfo != null && request.type != OpCode.closeSession) {
            ids = new ArrayList<>(request.authInfo.size());
            for (Id id : request.authInfo) {
                ids.add(new AuthId(id.getScheme(), id.getId()));
            }
        }
        return new Command.ClientRequest(
                wallClockMillis,
                request.sessionId,
                request.cxid,
                request.type,
                ids,
                payload == null ? null : ByteSlice.of(payload),
                quotaRefusedOp,
                local,
                lackedSchemes,
                ids == null ? AccessRules.ALL_LISTS_HOLD : ClientRights.rules(request.authInfo));
    }
}
