package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.AcceptorLogs;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SortedMap;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A server that is started, with ports of its own, on the directory of one that runs, in a container for instance. */
public class DirectoryInUseTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void anotherServerIsWriting_nothingOfItsFilesIsChanged() throws Exception {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        writeHalfOfAnEntry(files.dataDirectory.resolve("version-2"));
        StartupConfig config = new OrderingConfigParser(List.of(new NamedProtocol("chain")))
                .parse(files.zooCfg)
                .orElseThrow();
        Path ordering = config.ordering().orderingDirectory();
        try (AcceptorLog running =
                AcceptorLogs.open(ordering, LogStore.SEGMENTED, Durability.SYNC, AcceptorLogSettings.defaults())) {
            SortedMap<String, String> before = files.contents();
            IOException refused = assertThrows(IOException.class, () -> ReplicaStarter.startReplica(config));
            assertTrue(refused.getMessage(), refused.getMessage().contains(ordering + " is in use"));
            assertEquals(before, files.contents());
        }
    }

    private static void writeHalfOfAnEntry(Path version2) throws IOException {
        try (FileTxnLog log = new FileTxnLog(version2.toFile())) {
            TxnHeader header = new TxnHeader(1, 1, 1, 1, OpCode.setData);
            log.append(new Request(1, 1, OpCode.setData, header, new SetDataTxn("/a", new byte[3], 1), 1));
            log.commit();
        }
        Files.write(version2.resolve("log.1"), new byte[] {1, 2, 3}, StandardOpenOption.APPEND);
    }
}
