package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

/** zkServer-initialize.sh as a user of a distribution sees it. */
public class InitializeScriptTest extends DistributionScripts {
    @Test
    public void initialize_emptyDirectoriesAndMyid() throws Exception {
        Path log = folder.getRoot().toPath().resolve("log");
        Files.writeString(conf.resolve("zoo.cfg"), "dataDir=" + data + "\ndataLogDir=" + log + "\n");
        assertEnd(initialize("--myid=7"), 0, "Using myid of 7\n");
        assertEquals("7\n", Files.readString(data.resolve("myid")));
        assertTrue(Files.isDirectory(data.resolve("version-2")));
        assertTrue(Files.isDirectory(log.resolve("version-2")));
        assertTrue("looked for beside the transaction log", Files.exists(log.resolve("initialize")));
        String hint = " (or use --force to force re-initialization)\n";
        assertEnd(initialize("--myid", "8"), 1, "ZooKeeper data directory already exists at " + data + hint);
        Files.delete(data.resolve("version-2"));
        assertEnd(initialize(), 1, "ZooKeeper txnlog directory already exists at " + log + hint);
        Files.delete(log.resolve("version-2"));
        Files.createDirectories(log.resolve("ordering/checkpoints"));
        Files.createDirectories(log.resolve("ordering.next/checkpoints"));
        assertEnd(initialize(), 1, "ZooKeeper txnlog directory already exists at " + log + hint);
        assertEnd(
                initialize("--force", "--configfile=" + conf.resolve("zoo.cfg")),
                0,
                "Force enabled, data/txnlog directories will be re-initialized\n"
                        + "No myid provided, be sure to specify it in " + data
                        + "/myid if using non-standalone\n");
        assertFalse(Files.exists(log.resolve("ordering")));
        assertFalse("left by a switch of protocols", Files.exists(log.resolve("ordering.next")));
        assertFalse(Files.exists(data.resolve("myid")));
    }

    @Test
    public void initializeOfARunningServer_isRefused() throws Exception {
        run("start");
        awaitReady();
        Result refused = initialize("--force");
        assertEquals(1, refused.exitCode());
        assertTrue(refused.out(), refused.out().contains("stop it first: zkServer.sh stop"));
        assertTrue(Files.exists(pidFile));
    }

    @Test
    public void initializeWithMistakes_saysThem() throws Exception {
        assertTrue(initialize("--myid=256").out().contains("give a number from 1 to 255"));
        assertEnd(initialize("--configfile=/nowhere.cfg"), 1, "Unable to find config file at /nowhere.cfg\n");
        assertTrue(initialize("--myid").out().startsWith("Unknown option: --myid\nUsage: "));
        Files.writeString(conf.resolve("zoo.cfg"), "clientPort=1\n");
        assertEnd(initialize(), 1, "Unable to determine dataDir from " + conf + "/zoo.cfg\n");
        assertFalse(Files.exists(data.resolve("version-2")));
    }
}
