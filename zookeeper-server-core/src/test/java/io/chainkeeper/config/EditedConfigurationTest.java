package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Properties;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Of a file that an operator wrote only those lines change that have to. */
public final class EditedConfigurationTest {
    private static final String KEY = "dynamicConfigFile";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path file;

    @Before
    public void nameFile() {
        file = folder.getRoot().toPath().resolve("zoo.cfg");
    }

    private void edit(String before, String dynamicFile) throws IOException {
        Files.writeString(file, before, StandardCharsets.ISO_8859_1);
        EditedConfiguration.write(file, key -> key.startsWith("server."), KEY, dynamicFile);
    }

    private String text() throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private String value(String key) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        return properties.getProperty(key);
    }

    @Test
    public void edited_keepsAllOtherLinesWithTheirComments() throws IOException {
        edit(
                "# who\nserver.1=a:1:2;3\ntickTime=2000\n\n! why\nserver.2 = b:1:2;3\nclientPort: 5\n",
                "/d/zoo.cfg.dynamic.1");
        assertEquals("# who\ntickTime=2000\n\n! why\nclientPort: 5\ndynamicConfigFile=/d/zoo.cfg.dynamic.1\n", text());
    }

    @Test
    public void editedTwice_namesOneFile() throws IOException {
        edit("tickTime=2000", "/d/zoo.cfg.dynamic.1");
        EditedConfiguration.write(file, key -> false, KEY, "/d/zoo.cfg.dynamic.2");
        assertEquals("tickTime=2000\ndynamicConfigFile=/d/zoo.cfg.dynamic.2\n", text());
    }

    @Test
    public void passwordWithABackslash_isTheSame() throws IOException {
        edit("ssl.keyStore.password=a\\\\b\\u00e9\u00e9\ntickTime=2000\n", "/d");
        assertEquals("a\\b\u00e9\u00e9", value("ssl.keyStore.password"));
    }

    @Test
    public void lineThatIsContinued_goesOrStaysAsAWhole() throws IOException {
        edit("server.1=\\\n  a:1:2;3\ntickTime=\\\n  2000\n# not continued \\\ninitLimit=5\n", "/d");
        assertEquals("tickTime=\\\n  2000\n# not continued \\\ninitLimit=5\ndynamicConfigFile=/d\n", text());
    }

    @Test
    public void fileThatEndsWithABackslash_isNotContinuedByTheAddedLine() throws IOException {
        for (String end : new String[] {"", "\n", "\n\n"}) {
            edit("initLimit=5\ntickTime=2000\\" + end, "/d");
            assertEquals("2000", value("tickTime"));
            assertEquals("/d", value(KEY));
        }
    }

    @Test
    public void dynamicFileWithOtherLetters_isFoundAgain() throws IOException {
        edit("tickTime=2000\n", "/d\\e/\u017c \u00fc");
        assertEquals("/d\\e/\u017c \u00fc", value(KEY));
    }

    @Test
    public void fileThatOnlyItsOwnerMayRead_staysSo() throws IOException {
        Files.writeString(file, "tickTime=2000\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        EditedConfiguration.write(file, key -> false, KEY, "/d");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    public void fileThatCannotBeUnderstood_isNamedWithItsLine() throws IOException {
        IOException e = assertThrows(IOException.class, () -> edit("tickTime=2000\npassword=\\u00\n", "/d"));
        assertTrue(e.getMessage(), e.getMessage().startsWith(file + ":2: "));
        assertEquals("tickTime=2000\npassword=\\u00\n", text());
    }

    @Test
    public void sets_asPropertiesUnderstandIt() throws IOException {
        Files.writeString(file, "# dynamicConfigFile=/a\n dynamic\\\n ConfigFile : /b\n");
        assertTrue(EditedConfiguration.sets(file, KEY));
        assertFalse(EditedConfiguration.sets(file, "tickTime"));
    }
}
