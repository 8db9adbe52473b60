package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Chromium;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** What the status page says of shared disks, in a real browser. Skipped where none is installed. */
public class DiskPagesTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Path SHOTS = Path.of("target");
    private static final int[] WIDTHS = {360, 800, 1400};
    private static final int WRITES = 200;
    private static final int VALUE_BYTES = 10_000;
    private static final int LOST = 2;
    private static final EnsembleDisks DISKS = new EnsembleDisks(3);
    private static final Ensemble SERVERS = Ensemble.named("disk-pages")
            .set("ordering.protocol", "disk")
            .servers(2)
            .disks(DISKS)
            .set("admin.enableServer", "true")
            .set("admin.serverAddress", "127.0.0.1")
            .port(AdminClient.PORT)
            .build();

    @ClassRule
    public static final TestRule RUNNING = SERVERS.startedByTheTest();

    @Rule
    public final TestRule limit = SERVERS.testLimit(240);

    private Path browser;

    @Before
    public void findBrowser() {
        Optional<Path> found = Chromium.find();
        if (found.isEmpty()) {
            System.err.println("SKIPPED: nobody has looked at the page of shared disks, because this machine has no"
                    + " Chromium. Install one (apt-get install chromium) or name it with -Dchromium=/path");
        }
        Assume.assumeTrue("no Chromium on this machine", found.isPresent());
        browser = found.get();
    }

    private static String textOf(Chromium page, String selector) throws Exception {
        return page.ask("(document.querySelector('" + selector + "') || {}).textContent");
    }

    private static void awaitMatch(Chromium page, String selector, String pattern) throws Exception {
        Await.until(
                selector + " matches " + pattern,
                LIMIT,
                () -> textOf(page, selector).matches(pattern));
    }

    private static String cell(int disk, int column) {
        return "#disks tr:nth-child(" + disk + ") td:nth-child(" + column + ")";
    }

    private static void write() throws Exception {
        try (ZooKeeper client = Clients.connect(SERVERS.connectString())) {
            String path = client.create("/page-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
            for (int i = 0; i < WRITES; i++) {
                client.setData(path, new byte[VALUE_BYTES], -1);
            }
        }
    }

    private static void assertLongNumbersFit(Chromium page) throws Exception {
        page.look(WIDTHS[0], false);
        String fits = page.ask("(() => { document.querySelectorAll('#disks tr').forEach(row => {"
                + " row.children[2].textContent = '12,345 \u00b5s'; row.children[3].textContent = '98,765 \u00b5s';"
                + " row.children[4].textContent = '1,234,567'; });"
                + " return String(at('shared').scrollWidth <= at('shared').clientWidth); })()");
        assertEquals("all of slow disks is seen", "true", fits);
    }

    private static void photograph(Chromium page, String name) throws Exception {
        for (boolean dark : new boolean[] {false, true}) {
            for (int width : WIDTHS) {
                page.look(width, dark);
                assertEquals("at " + width, "true", page.ask("String(document.body.scrollWidth <= innerWidth)"));
                String fits = "String(at('shared').scrollWidth <= at('shared').clientWidth)";
                assertEquals("all of the disks is seen at " + width, "true", page.ask(fits));
                page.screenshot(SHOTS.resolve(name + "-" + width + (dark ? "-dark" : "-light") + ".png"));
            }
        }
    }

    @Test
    public void statusPage_showsDisksTheirLatencyAndTheRing() throws Exception {
        SERVERS.start();
        ServerProcess leader = SERVERS.leader();
        write();
        try (Chromium page =
                Chromium.start(browser, Path.of("target", "chromium-disk-pages").toAbsolutePath())) {
            page.open(AdminClient.address(leader, "/status"));
            for (int disk : DISKS.numbers()) {
                awaitMatch(page, cell(disk, 1), Integer.toString(disk));
                awaitMatch(page, cell(disk, 2), "answers");
                awaitMatch(page, cell(disk, 3), "[1-9][0-9,.]* \u00b5s");
                awaitMatch(page, cell(disk, 4), "[1-9][0-9,.]* \u00b5s");
                awaitMatch(page, cell(disk, 5), "[1-9][0-9,]*");
            }
            awaitMatch(page, "#ring", "Ring: [1-9][0-9.]* .{0,2}B of 64.0 MiB");
            awaitMatch(page, "#alarms", "none");
            assertEquals("Voting members", textOf(page, "#order"));
            photograph(page, "disk-page");
            assertLongNumbersFit(page);
            Files.delete(DISKS.file(LOST));
            leader.kill();
            leader.start();
            leader.awaitServing();
            write();
            page.open(AdminClient.address(leader, "/status"));
            awaitMatch(page, cell(LOST, 2), "failed");
            assertEquals("\u2013", textOf(page, cell(LOST, 3)));
            assertEquals("\u2013", textOf(page, cell(LOST, 4)));
            awaitMatch(page, cell(1, 2), "answers");
            awaitMatch(page, cell(1, 3), "[1-9][0-9,.]* \u00b5s");
            awaitMatch(page, "#alarms", ".*Of 3 shared disks 2 are used.*");
            assertTrue(page.ask("document.querySelector('" + cell(LOST, 2) + "').className")
                    .contains("bad"));
            photograph(page, "disk-page-dead-disk");
        }
    }
}
