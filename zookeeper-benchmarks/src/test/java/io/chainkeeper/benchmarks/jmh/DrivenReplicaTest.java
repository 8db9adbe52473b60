package io.chainkeeper.benchmarks.jmh;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;

import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** The server that the benchmarks drive does what it is measured for. */
public final class DrivenReplicaTest {
    private DrivenReplica replica;

    @Before
    public void open() throws Exception {
        replica = DrivenReplica.open(3);
    }

    @After
    public void close() throws Exception {
        replica.close();
    }

    private byte[] data(int znode) throws Exception {
        return replica.server().server().getZKDatabase().getData(DrivenReplica.path(znode), new Stat(), null);
    }

    @Test
    public void ownClientWrites_treeChangesAndClientIsAnswered() throws Exception {
        long before = replica.replies();
        replica.request(OpCode.setData, new SetDataRequest(DrivenReplica.path(7), new byte[] {7}, -1));
        assertArrayEquals(new byte[3], data(7));
        replica.execute();
        assertArrayEquals(new byte[] {7}, data(7));
        assertEquals(before + 1, replica.replies());
    }

    @Test
    public void otherReplicasBatch_treeChangesAndNobodyIsAnswered() throws Exception {
        long before = replica.replies();
        byte[] body = DrivenReplica.bytes(new SetDataRequest(DrivenReplica.path(9), new byte[] {9}, -1));
        replica.executeForeign(List.of(BatchCodec.encode(List.of(new ProposedCommand(
                1, 1, 0, 1, CommandCodec.encode(CommandCodecBenchmark.request(replica.sessionId(), body)))))));
        replica.dropOldLogs();
        assertArrayEquals(new byte[] {9}, data(9));
        assertEquals(before, replica.replies());
    }

    @Test
    public void linearizableRead_isAnsweredBehindTheBarrier() throws Exception {
        long before = replica.replies();
        replica.request(OpCode.getData, new GetDataRequest(DrivenReplica.path(1), false));
        assertEquals(before, replica.replies());
        replica.releaseReads();
        assertEquals(before + 1, replica.replies());
    }
}
