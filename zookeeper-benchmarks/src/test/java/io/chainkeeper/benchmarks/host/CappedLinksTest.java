package io.chainkeeper.benchmarks.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class CappedLinksTest {
    @Test
    public void everyServerHasALimitedLink_nothingIsLeft() throws Exception {
        assumeTrue("needs the right to make network namespaces", mayMakeNamespaces());
        List<String> prefix;
        try (CappedLinks links = CappedLinks.open(2, 10)) {
            prefix = links.commandPrefix(2);
            for (int id = 1; id <= 2; id++) {
                String limit = output(links.commandPrefix(id), "tc", "qdisc", "show", "dev", "eth0");
                assertTrue(limit, limit.contains("rate 10Mbit"));
            }
            String interfaces = output(prefix, "ip", "addr", "show", "eth0");
            assertTrue(interfaces, interfaces.contains(links.host(2) + "/24"));
            assertFalse(links.host(1).equals(links.host(2)));
        }
        String namespace = prefix.get(prefix.size() - 1);
        assertFalse(output(List.of(), "ip", "netns", "list").contains(namespace));
    }

    @Test
    public void loopback_needsNothing() {
        assertEquals("127.0.0.1", ServerNetwork.LOOPBACK.host(3));
        assertEquals(List.of(), ServerNetwork.LOOPBACK.commandPrefix(3));
    }

    private static boolean mayMakeNamespaces() throws InterruptedException {
        String probe = "cb-probe-" + ProcessHandle.current().pid();
        try {
            return exitCode("ip", "netns", "add", probe) == 0
                    && exitCode("ip", "netns", "del", probe) == 0
                    && exitCode("tc", "-V") == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static int exitCode(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static String output(List<String> prefix, String... command) throws IOException {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(List.of(command));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes());
    }
}
