package io.chainkeeper.clienttests.compat;

import io.chainkeeper.clienttests.compat.WireClient.Request;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.AddWatchRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.ExistsRequest;
import org.apache.zookeeper.proto.GetACLRequest;
import org.apache.zookeeper.proto.GetChildren2Request;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.apache.zookeeper.proto.SyncRequest;

/** Many requests in one piece: writes, reads of them, errors, syncs. Each reply comes in its turn and sees its past. */
final class PipelineScript {
    private static final int ROUNDS = 25;

    private final Step.Script script = Step.Script.named("pipelines");

    static Step.Script script() {
        PipelineScript pipelines = new PipelineScript();
        for (String connection : new String[] {"a", "b", "c"}) {
            pipelines.pipeline(connection);
        }
        return pipelines.script;
    }

    private void pipeline(String connection) {
        script.step("a pipeline at " + connection, bench -> {
            List<Request> requests = new ArrayList<>();
            String path = bench.root() + "/" + connection;
            requests.add(new Request(OpCode.addWatch, new AddWatchRequest(path, 1)));
            for (int round = 0; round < ROUNDS; round++) {
                requests.addAll(round(path, round));
            }
            WireClient wire = bench.wire(connection);
            wire.sendTogether(requests);
            List<String> answers = new ArrayList<>();
            int replies = 0;
            while (replies < requests.size()) {
                String answer = wire.next();
                answers.add(answer);
                replies += answer.startsWith("event") ? 0 : 1;
                if (answer.equals("closed")) {
                    break;
                }
            }
            return answers;
        });
    }

    private static List<Request> round(String path, int round) {
        return List.of(
                new Request(
                        OpCode.create,
                        new CreateRequest(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT.toFlag())),
                new Request(OpCode.getData, new GetDataRequest(path, false)),
                new Request(OpCode.setData, new SetDataRequest(path, new byte[round], round)),
                new Request(OpCode.setData, new SetDataRequest(path, new byte[round], 1_000)),
                new Request(OpCode.getData, new GetDataRequest(path, false)),
                new Request(OpCode.exists, new ExistsRequest(path + "/missing", false)),
                new Request(OpCode.sync, new SyncRequest(path)),
                new Request(OpCode.create2, new CreateRequest(path + "/e-", null, Ids.OPEN_ACL_UNSAFE, 3)),
                new Request(OpCode.getChildren2, new GetChildren2Request(path, false)),
                new Request(
                        OpCode.multi,
                        MultiRequests.of(MultiRequests.set(path, -1), MultiRequests.check(path, round + 1))),
                new Request(OpCode.setData, new SetDataRequest(path, new byte[round], -1)),
                new Request(OpCode.getACL, new GetACLRequest(path)),
                new Request(OpCode.delete, new DeleteRequest(path + String.format("/e-%010d", round), -1)),
                new Request(OpCode.delete, new DeleteRequest(path, 1)),
                new Request(OpCode.getChildren2, new GetChildren2Request(path, false)));
    }
}
