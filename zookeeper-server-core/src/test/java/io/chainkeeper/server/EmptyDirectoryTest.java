package io.chainkeeper.server;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code db.autocreate=false}: no server begins with an empty directory by accident. */
public class EmptyDirectoryTest {
    private static final String PROPERTY = "zookeeper.db.autocreate";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void forbid() throws Exception {
        System.setProperty(PROPERTY, "false");
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3);
    }

    @After
    public void stop() throws Exception {
        System.clearProperty(PROPERTY);
        ensemble.close();
    }

    @Test(timeout = 120_000)
    public void nothingSaysThatItMayBegin_isRefusedWithItsDirectoryAndWhatToDo() {
        String refusal =
                assertThrows(IOException.class, () -> ensemble.start(1)).getMessage();
        Path snapshots = ensemble.dataDirectory(1).resolve("version-2");
        assertTrue(refusal, refusal.contains(snapshots + " is empty, and zookeeper.db.autocreate=false forbids"));
        assertTrue(refusal, refusal.contains("run zkServer-initialize.sh"));
    }

    @Test(timeout = 120_000)
    public void markerIsThere_beginsAndStartsAgainWithoutIt() throws Exception {
        for (int id = 1; id <= 3; id++) {
            Files.createDirectories(ensemble.dataDirectory(id));
            Files.createFile(ensemble.dataDirectory(id).resolve("initialize"));
        }
        ensemble.startAll();
        assertFalse(Files.exists(ensemble.dataDirectory(3).resolve("initialize")));
        ensemble.stop(3);
        ensemble.start(3);
        ensemble.awaitServing(3);
    }
}
