package io.chainkeeper.server.inspection;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.state.Zxids;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.DeleteContainerRequest;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.CheckVersionRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.CreateTTLRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.ReconfigRequest;
import org.apache.zookeeper.proto.SetACLRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.server.ByteBufferInputStream;
import org.apache.zookeeper.server.Request;

/** Puts in words what stands at a position of the order. Stateless. */
public final class CommandWords {
    /** More operations of one multi are only counted. */
    private static final int MULTI_OPERATIONS = 20;

    private CommandWords() {}

    /**
     * @param value the value of a position
     * @return what it is, then a line for each of its commands
     * @throws MalformedMessageException if it is no batch, no membership and no note
     */
    public static List<String> of(ByteSlice value) throws MalformedMessageException {
        BatchCodec.check(value);
        if (BatchCodec.isMembership(value)) {
            return List.of("membership from the next position on: " + BatchCodec.decodeMembership(value));
        }
        if (BatchCodec.isNote(value)) {
            return List.of("note of the protocol, " + value.length() + " bytes");
        }
        List<ProposedCommand> commands = BatchCodec.decode(value);
        List<String> lines = new ArrayList<>();
        lines.add(
                commands.isEmpty()
                        ? "no command"
                        : commands.size() + (commands.size() == 1 ? " command" : " commands"));
        for (ProposedCommand command : commands) {
            lines.add(of(command));
        }
        return lines;
    }

    private static String of(ProposedCommand proposed) {
        String stream = proposed.stream() == 0 ? "" : "/" + proposed.stream();
        String name = proposed.proposer() + "." + proposed.incarnation() + stream + "#" + proposed.sequence() + " ";
        String bytes = ", " + proposed.command().length() + " bytes";
        try {
            return name + of(CommandCodec.decode(proposed.command())) + bytes;
        } catch (MalformedMessageException e) {
            // A later release's commands may be among them; the batch around them is whole.
            return name + "of a kind that this release does not read (" + e.getMessage() + ")" + bytes;
        }
    }

    private static String of(Command command) {
        if (command instanceof Command.ClientRequest request) {
            return of(request);
        }
        if (command instanceof Command.Attach attach) {
            return "attach session " + hex(attach.sessionId()) + ", timeout " + attach.timeoutMillis() + " ms";
        }
        if (command instanceof Command.Expire expire) {
            return "expire session " + hex(expire.sessionId());
        }
        if (command instanceof Command.Orphan orphan) {
            return "orphan the sessions of " + orphan.replica() + "." + orphan.incarnation();
        }
        if (command instanceof Command.DigestReport report) {
            return "digest report for position " + report.auditPosition() + ": tree " + hex(report.treeDigest());
        }
        if (command instanceof Command.ClusterFormed formed) {
            return "cluster formed: " + formed.clusterId() + ", members " + formed.members();
        }
        if (command instanceof Command.RaiseFeatureLevel raise) {
            return "raise feature level to " + raise.level().number();
        }
        String name = command.getClass().getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", " ");
        return name.toLowerCase(Locale.ROOT);
    }

    private static String of(Command.ClientRequest request) {
        String from = request.sessionId() == 0
                ? "by the server"
                : (request.localSession() ? "local session " : "session ") + hex(request.sessionId()) + ", cxid "
                        + request.cxid();
        return Request.op2String(request.opcode()) + what(request.opcode(), request.payload()) + ", " + from;
    }

    private static String what(int opcode, ByteSlice payload) {
        Supplier<Record> empty = recordOf(opcode);
        if (empty == null || payload == null) {
            return "";
        }
        Record record = empty.get();
        try {
            record.deserialize(
                    BinaryInputArchive.getArchive(new ByteBufferInputStream(payload.asByteBuffer())), "request");
        } catch (IOException e) {
            // Execution refuses such a request; it is ordered all the same.
            return " (" + payload.length() + " bytes that are no such request)";
        }
        return " " + path(record);
    }

    private static Supplier<Record> recordOf(int opcode) {
        return switch (opcode) {
            case OpCode.create, OpCode.create2, OpCode.createContainer -> CreateRequest::new;
            case OpCode.createTTL -> CreateTTLRequest::new;
            case OpCode.delete -> DeleteRequest::new;
            case OpCode.deleteContainer -> DeleteContainerRequest::new;
            case OpCode.setData -> SetDataRequest::new;
            case OpCode.setACL -> SetACLRequest::new;
            case OpCode.check -> CheckVersionRequest::new;
            case OpCode.multi -> MultiOperationRecord::new;
            case OpCode.reconfig -> ReconfigRequest::new;
            default -> null;
        };
    }

    private static String path(Record record) {
        if (record instanceof CreateRequest create) {
            return shown(create.getPath());
        } else if (record instanceof CreateTTLRequest create) {
            return shown(create.getPath());
        } else if (record instanceof DeleteRequest delete) {
            return shown(delete.getPath());
        } else if (record instanceof DeleteContainerRequest delete) {
            return shown(delete.getPath());
        } else if (record instanceof SetDataRequest set) {
            return shown(set.getPath());
        } else if (record instanceof SetACLRequest set) {
            return shown(set.getPath());
        } else if (record instanceof CheckVersionRequest check) {
            return shown(check.getPath());
        } else if (record instanceof MultiOperationRecord multi) {
            return operations(multi);
        }
        return "of the ensemble";
    }

    private static String operations(MultiOperationRecord multi) {
        List<String> shown = new ArrayList<>();
        int left = multi.size();
        for (Op operation : multi) {
            if (shown.size() == MULTI_OPERATIONS) {
                break;
            }
            shown.add(Request.op2String(operation.getType()) + " " + shown(operation.getPath()));
            left--;
        }
        return "of " + multi.size() + " operations [" + String.join("; ", shown)
                + (left > 0 ? "; " + left + " more" : "") + "]";
    }

    /** A path as the client has sent it may hold anything, and a line must stay one. */
    private static String shown(String path) {
        return path == null ? "no path" : path.replaceAll("\\p{Cntrl}", "?");
    }

    private static String hex(long number) {
        return Zxids.text(number);
    }
}
