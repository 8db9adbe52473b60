package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class LeftCheckpointFilesTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** The checkpoint of the log is written by another thread, perhaps now. */
    @Test
    public void startsEndedWhileTheyWrote_whatTheyLeftIsDeleted() throws Exception {
        CheckpointStore store = new CheckpointStore(folder.getRoot().toPath());
        Path directory = store.file(1).getParent();
        for (String name : List.of("checkpoint.1f.tmp", "checkpoint.2a.tmp", "checkpoint.log.tmp")) {
            Files.createFile(directory.resolve(name));
        }
        store.deleteBefore(0x2a);
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(
                    List.of("checkpoint.log.tmp"),
                    files.map(file -> file.getFileName().toString()).toList());
        }
    }
}
