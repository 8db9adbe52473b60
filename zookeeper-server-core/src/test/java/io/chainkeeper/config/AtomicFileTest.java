package io.chainkeeper.config;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Small files that are replaced as a whole. */
public final class AtomicFileTest {
    private static final byte[] CONTENT = {1, 2, 3};

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void linkLiesWhereItIsWritten_isNotFollowed() throws Exception {
        Path other = Files.writeString(folder.getRoot().toPath().resolve("other"), "kept");
        Path file = folder.getRoot().toPath().resolve("file");
        Files.createSymbolicLink(file.resolveSibling("file" + AtomicFile.TEMPORARY_SUFFIX), other);
        AtomicFile.write(file, CONTENT);
        assertArrayEquals(CONTENT, Files.readAllBytes(file));
        assertFalse(Files.isSymbolicLink(file));
        assertEquals("kept", Files.readString(other));
    }

    @Test
    public void restOfACrashLiesThere_fileIsReplacedAndItsPermissionsStay() throws Exception {
        Path file = Files.writeString(folder.getRoot().toPath().resolve("file"), "before");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(file.resolveSibling("file" + AtomicFile.TEMPORARY_SUFFIX), "longer than what is to come");
        AtomicFile.replace(file, CONTENT);
        assertArrayEquals(CONTENT, Files.readAllBytes(file));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }
}
