package io.chainkeeper.server.request;

import io.chainkeeper.server.zookeeper.LocalRefusal;
import java.io.IOException;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.CheckWatchesRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetACLRequest;
import org.apache.zookeeper.proto.GetAllChildrenNumberRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetEphemeralsRequest;
import org.apache.zookeeper.proto.RemoveWatchesRequest;
import org.apache.zookeeper.proto.SetWatches;
import org.apache.zookeeper.proto.SetWatches2;
import org.apache.zookeeper.proto.SyncRequest;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.watch.WatcherMode;

/**
 * Finds reads that ZooKeeper's final processor would give up at. It would answer with the same error, but write a stack
 * trace and every byte of the request to the log, as often as a broken or hostile client asks. Stateless.
 */
final class ReadChecks {
    private ReadChecks() {}

    /**
     * Marks a request with its error if it is to be refused.
     *
     * @param request any request
     */
    static void markIfBroken(Request request) {
        try {
            if (isWhole(request)) {
                return;
            }
        } catch (IOException | RuntimeException e) {
            // The record does not decode, or has a value that does not exist.
        }
        LocalRefusal.mark(request, new KeeperException.MarshallingErrorException());
    }

    private static boolean isWhole(Request request) throws IOException {
        return switch (request.type) {
            case OpCode.exists -> request.readRequestRecord(ExistsRequest::new).getPath() != null;
            case OpCode.getData ->
                request.readRequestRecord(GetDataRequest::new).getPath() != null;
            case OpCode.getACL -> request.readRequestRecord(GetACLRequest::new).getPath() != null;
            case OpCode.getChildren ->
                request.readRequestRecord(GetChildrenRequest::new).getPath() != null;
            case OpCode.getChildren2 ->
                request.readRequestRecord(GetChildren2Request::new).getPath() != null;
            case OpCode.getAllChildrenNumber ->
                request.readRequestRecord(GetAllChildrenNumberRequest::new).getPath() != null;
            // Null means something to these two.
            case OpCode.getEphemerals -> request.readRequestRecord(GetEphemeralsRequest::new) != null;
            case OpCode.sync -> request.readRequestRecord(SyncRequest::new) != null;
            default -> isWholeWatchOrMulti(request);
        };
    }

    /** A watch that names its znode itself may be without a path: it never fires, and can be removed again. */
    private static boolean isWholeWatchOrMulti(Request request) throws IOException {
        return switch (request.type) {
            case OpCode.addWatch ->
                WatcherMode.fromZooDef(
                                request.readRequestRecord(AddWatchRequest::new).getMode())
                        != null;
            case OpCode.checkWatches ->
                WatcherType.fromInt(request.readRequestRecord(CheckWatchesRequest::new)
                                .getType())
                        != null;
            case OpCode.removeWatches ->
                WatcherType.fromInt(request.readRequestRecord(RemoveWatchesRequest::new)
                                .getType())
                        != null;
            case OpCode.setWatches -> {
                SetWatches watches = request.readRequestRecord(SetWatches::new);
                yield areWhole(watches.getDataWatches(), watches.getExistWatches(), watches.getChildWatches());
            }
            case OpCode.setWatches2 -> {
                SetWatches2 watches = request.readRequestRecord(SetWatches2::new);
                yield areWhole(watches.getDataWatches(), watches.getExistWatches(), watches.getChildWatches())
                        && watches.getPersistentWatches() != null
                        && watches.getPersistentRecursiveWatches() != null;
            }
            case OpCode.multiRead -> areReads(request.readRequestRecord(MultiOperationRecord::new));
            default -> true;
        };
    }

    @SafeVarargs
    private static boolean areWhole(List<String>... lists) {
        for (List<String> paths : lists) {
            if (paths == null || paths.stream().anyMatch(path -> path == null)) {
                return false;
            }
        }
        return true;
    }

    private static boolean areReads(MultiOperationRecord multi) {
        for (Op op : multi) {
            if (op.getKind() != Op.OpKind.READ || op.getPath() == null) {
                return false;
            }
        }
        return true;
    }
}
