package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/** Files of a directory. */
public class DataFilesTest {
    @Test
    public void directoryCannotBeReadToItsEnd_isAnIoExceptionAsAnyOther() {
        IOException failure = new IOException("/backup: Stale file handle");
        IOException thrown = assertThrows(
                IOException.class,
                () -> DataFiles.sorted(() -> {
                    throw new DirectoryIteratorException(failure);
                }));
        assertSame(failure, thrown);
    }

    @Test
    public void files_areInTheOrderOfTheirNames() throws Exception {
        List<Path> found = List.of(Path.of("/b/log.2"), Path.of("/b/lock"), Path.of("/b/log.1"));
        assertEquals(List.of(found.get(1), found.get(2), found.get(0)), DataFiles.sorted(found));
    }
}
