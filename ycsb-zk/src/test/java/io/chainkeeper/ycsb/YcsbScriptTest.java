package io.chainkeeper.ycsb;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.ClassRule;
import org.junit.Test;

/** {@code bin/ycsb.sh} as users call it. */
public class YcsbScriptTest {
    @ClassRule
    public static final StockServer SERVER = new StockServer();

    private String output;

    private int run(String... arguments) throws IOException, InterruptedException {
        Path root = Path.of("").toAbsolutePath().getParent();
        List<String> command =
                new ArrayList<>(List.of(root.resolve("bin/ycsb.sh").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .start();
        output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor();
    }

    private void assertSaid(String text) {
        assertTrue(output, output.contains(text));
    }

    @Test
    public void standardWorkload_isLoadedAndRun() throws Exception {
        String servers = "zookeeper.connectString=" + SERVER.chroot("benchmark");
        assertEquals(0, run("load", "zookeeper", "-P", "workloads/workloada", "-p", servers, "-threads", "4"));
        assertSaid("[INSERT], Return=OK, 1000");
        assertEquals(0, run("run", "zookeeper", "-P", "workloads/workloada", "-p", servers, "-threads", "4"));
        assertSaid("[UPDATE], Return=OK, ");
        assertSaid("[READ], Return=OK, ");
        assertSaid("[READ], 99.9PercentileLatency(us), ");
        assertSaid("1000 operations");
        assertFalse(output, output.contains("ERROR"));
        assertEquals(
                0,
                run(
                        "run",
                        "zookeeper",
                        "-P",
                        "workloads/coordination",
                        "-p",
                        servers,
                        "-p",
                        "operationcount=2000",
                        "-p",
                        "zookeeper.outstanding=32"));
        assertSaid("[PIPELINED-UPDATE], 99thPercentileLatency(us), ");
        assertFalse(output, output.contains("ERROR"));
    }

    @Test
    public void misuse_isToldInOneLine() throws Exception {
        assertEquals(2, run("run", "cassandra"));
        assertSaid("unknown database 'cassandra'");
        assertEquals(2, run("jump", "zookeeper"));
        assertSaid("unknown command 'jump'");
        assertEquals(2, run("run", "zookeeper", "-P", "workloads/none"));
        assertSaid("no workload file workloads/none, neither here nor in ");
    }
}
