package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.config.LinkSecret;
import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.HexFormat;
import java.util.List;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.slf4j.LoggerFactory;

/** The shared secret of the links in its file, and the identity of a directory. */
public class SecretFileTest {
    private static final String OLD = "the secret until now";
    private static final String NEW = "the secret from now on";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path file;

    @Before
    public void nameFile() {
        file = folder.getRoot().toPath().resolve("secret");
    }

    private static ByteSlice bytes(String text) {
        return ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private SecretFile open() throws IOException {
        return new SecretFile(new LinkSecret(file, true));
    }

    private void assertRefused(String content, String... parts) throws IOException {
        Files.writeString(file, content);
        String message = assertThrows(IOException.class, this::open).getMessage();
        assertEquals("one line", 1, message.lines().count());
        assertTrue(message, message.contains(file.toString()));
        for (String part : parts) {
            assertTrue(message, message.contains(part));
        }
    }

    @Test
    public void linesOfTheFile_areTheSecrets() throws Exception {
        Files.writeString(file, "\n  " + NEW + "\r\n" + OLD);
        assertEquals(List.of(bytes(NEW), bytes(OLD)), open().current());
    }

    @Test
    public void fileIsReplaced_newSecretsCountFromTheNextHandshakeOn() throws Exception {
        Files.writeString(file, OLD + "\n");
        SecretFile secret = open();
        Files.writeString(file, OLD + "\n" + NEW + "\n");
        assertEquals(List.of(bytes(OLD), bytes(NEW)), secret.current());
        Path next = folder.newFile().toPath();
        Files.writeString(next, NEW + "\n");
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        assertEquals(List.of(bytes(NEW)), secret.current());
    }

    @Test
    public void fileCannotBeUsedAnyMore_secretStays() throws Exception {
        Files.writeString(file, OLD + "\n");
        SecretFile secret = open();
        Files.writeString(file, "short\n");
        assertEquals(List.of(bytes(OLD)), secret.current());
        Files.delete(file);
        assertEquals(List.of(bytes(OLD)), secret.current());
        Files.writeString(file, NEW + "\n");
        assertEquals(List.of(bytes(NEW)), secret.current());
    }

    /** As after a chown: only reading it tells. */
    @Test
    public void fileCanBeReadAgainAndLooksTheSame_itsSecretCountsAndTheLogHasComplainedOnce() throws Exception {
        Files.writeString(file, OLD + "\n");
        SecretFile secret = open();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(SecretFile.class);
        logger.addAppender(log);
        try {
            writeInPlace(" ".repeat(NEW.length()));
            assertEquals(List.of(bytes(OLD)), secret.current());
            assertEquals(List.of(bytes(OLD)), secret.current());
            writeInPlace("short" + " ".repeat(NEW.length() - 5));
            assertEquals(List.of(bytes(OLD)), secret.current());
            writeInPlace(NEW);
            assertEquals(List.of(bytes(NEW)), secret.current());
            writeInPlace(" ".repeat(NEW.length()));
            assertEquals("what has been read is not read again", List.of(bytes(NEW)), secret.current());
        } finally {
            logger.detachAppender(log);
        }
        assertEquals(
                "each reason once",
                2,
                log.list.stream().filter(line -> line.getLevel() == Level.WARN).count());
    }

    private void writeInPlace(String content) throws IOException {
        Files.writeString(file, content);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
    }

    @Test
    public void fileThatHoldsNoSecret_isRefusedWithoutShowingWhatItHolds() throws Exception {
        assertRefused("", "0 secrets");
        assertRefused("\n \n", "0 secrets");
        assertRefused("15 bytes of it.", "at least 16");
        assertRefused(OLD + "\n" + NEW + "\n" + OLD, "3 secrets");
        assertRefused("x".repeat(5000), "4096 bytes");
        Files.write(file, HexFormat.of().parseHex("fffefdfcfbfa")); // as text 18 bytes, and the same as any six others
        String noText = assertThrows(IOException.class, this::open).getMessage();
        assertTrue(noText, noText.contains("no UTF-8 text"));
        Files.writeString(file, "too short");
        assertFalse(assertThrows(IOException.class, this::open).getMessage().contains("too short"));
        Files.delete(file);
        assertTrue(assertThrows(IOException.class, this::open).getMessage().contains("cannot be read"));
    }

    @Test
    public void identityOfADirectory_staysAndIsItsOwn() throws Exception {
        Path one = folder.newFolder().toPath();
        Path other = folder.newFolder().toPath();
        ByteSlice identity = DiskIdentity.of(one);
        assertEquals(16, identity.length());
        assertEquals(identity, DiskIdentity.of(one));
        assertNotEquals(identity, DiskIdentity.of(other));
        Files.writeString(one.resolve(DiskIdentity.FILE_NAME), "no identity");
        assertTrue(assertThrows(IOException.class, () -> DiskIdentity.of(one))
                .getMessage()
                .contains("remove it"));
    }
}
