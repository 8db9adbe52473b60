package io.chainkeeper.server.request;

import io.chainkeeper.server.guard.WatchLimit;
import io.chainkeeper.server.zookeeper.LocalRefusal;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetChildrenRequest;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.SetWatches;
import org.apache.zookeeper.proto.SetWatches2;
import org.apache.zookeeper.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds clients to the bound on watches. A read that may not set its watch is answered with an error and not with data,
 * because who got data would wait for an event that never comes; clients note a watch only with an answer that is none.
 * They note nothing of the answer to what they send when they reconnect, so there the connection is closed, and the
 * client goes on to another server. Safe for use by any thread.
 */
final class WatchChecks {
    private static final Logger LOG = LoggerFactory.getLogger(WatchChecks.class);

    private final OrderedZooKeeperServer server;
    private final WatchLimit limit;

    WatchChecks(OrderedZooKeeperServer server, WatchLimit limit) {
        this.server = server;
        this.limit = limit;
    }

    /**
     * Marks a request with its error if its watch may not be set.
     *
     * @param request a read that decodes, unless it is marked already
     * @return false if its connection is to be closed
     */
    boolean check(Request request) {
        if (limit.max() == WatchLimit.NONE || LocalRefusal.isRefused(request)) {
            return true;
        }
        try {
            return switch (request.type) {
                case OpCode.setWatches, OpCode.setWatches2 -> checkAgain(request);
                default -> {
                    Watch watch = watch(request);
                    if (watch != null && !isSet(request, watch) && !limit.admits()) {
                        say(request, watch.path(), "answering THROTTLEDOP");
                        LocalRefusal.mark(request, KeeperException.create(Code.THROTTLEDOP));
                    }
                    yield true;
                }
            };
        } catch (IOException e) {
            throw new IllegalStateException("a request that decoded before does not decode any more: " + request, e);
        }
    }

    private boolean checkAgain(Request request) throws IOException {
        long watches = number(request);
        if (limit.admitsAgain(watches)) {
            return true;
        }
        say(request, watches + " watches that it brings along", "closing its connection, it may go elsewhere");
        return false;
    }

    /** What a request asks for. */
    private record Watch(String path, WatcherType type) {}

    private static Watch watch(Request request) throws IOException {
        return switch (request.type) {
            case OpCode.exists -> {
                ExistsRequest asked = request.readRequestRecord(ExistsRequest::new);
                yield asked.getWatch() ? new Watch(asked.getPath(), WatcherType.Data) : null;
            }
            case OpCode.getData -> {
                GetDataRequest asked = request.readRequestRecord(GetDataRequest::new);
                yield asked.getWatch() ? new Watch(asked.getPath(), WatcherType.Data) : null;
            }
            case OpCode.getChildren -> {
                GetChildrenRequest asked = request.readRequestRecord(GetChildrenRequest::new);
                yield asked.getWatch() ? new Watch(asked.getPath(), WatcherType.Children) : null;
            }
            case OpCode.getChildren2 -> {
                GetChildren2Request asked = request.readRequestRecord(GetChildren2Request::new);
                yield asked.getWatch() ? new Watch(asked.getPath(), WatcherType.Children) : null;
            }
            case OpCode.addWatch ->
                new Watch(request.readRequestRecord(AddWatchRequest::new).getPath(), null);
            default -> null;
        };
    }

    /** One that is there already takes no more memory. */
    private boolean isSet(Request request, Watch watch) {
        return watch.type() != null
                && server.getZKDatabase().getDataTree().containsWatcher(watch.path(), watch.type(), request.cnxn);
    }

    private static long number(Request request) throws IOException {
        if (request.type == OpCode.setWatches) {
            SetWatches asked = request.readRequestRecord(SetWatches::new);
            return (long) asked.getDataWatches().size()
                    + asked.getExistWatches().size()
                    + asked.getChildWatches().size();
        }
        SetWatches2 asked = request.readRequestRecord(SetWatches2::new);
        return (long) asked.getDataWatches().size()
                + asked.getExistWatches().size()
                + asked.getChildWatches().size()
                + asked.getPersistentWatches().size()
                + asked.getPersistentRecursiveWatches().size();
    }

    private void say(Request request, String what, String then) {
        if (limit.isToBeSaid()) {
            LOG.warn(
                    "Session 0x{}: no more watches for {} of {}, clients of this server may have {}"
                            + " (ordering.maxWatches): {}. Further refusals in the next {} s are only counted"
                            + " (ordering_watches_refused)",
                    Long.toHexString(request.sessionId),
                    Request.op2String(request.type),
                    what,
                    limit.max(),
                    then,
                    WatchLimit.SECONDS_BETWEEN_LINES);
        }
    }
}
