package io.chainkeeper.server.transfer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The small file that says which state was installed in a directory. */
public final class InstalledStateFileTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private InstalledState read(String text) throws IOException {
        Path directory = folder.getRoot().toPath();
        Files.writeString(directory.resolve(InstalledState.FILE_NAME), text);
        return InstalledState.read(directory);
    }

    @Test
    public void whatWasWritten_isRead() throws Exception {
        Path directory = folder.getRoot().toPath();
        assertNull(InstalledState.read(directory));
        for (ByteSlice promise : new ByteSlice[] {ByteSlice.EMPTY, MemberFiles.PROMISE}) {
            InstalledState installed = new InstalledState(12, true, promise);
            installed.write(directory);
            assertEquals(installed, InstalledState.read(directory));
        }
    }

    @Test
    public void fileOfAnEarlierVersion_namesNoPromise() throws Exception {
        assertEquals(new InstalledState(7, false, ByteSlice.EMPTY), read("position=7\nnewDirectory=false\n"));
    }

    @Test
    public void damagedFile_isNamed() {
        for (String damaged : new String[] {
            "",
            "position=7\n",
            "position=x\nnewDirectory=false\n",
            "position=7\nnewDirectory=no\n",
            "position=7\nnewDirectory=true",
            "position=7\nnewDirectory=true\npromise=123\n",
            "position=7\nnewDirectory=true\npromise=12",
            "position=7\nnewDirectory=true\npromise=12\n\n"
        }) {
            IOException refusal = assertThrows(damaged, IOException.class, () -> read(damaged));
            assertTrue(refusal.getMessage(), refusal.getMessage().contains("is damaged"));
        }
    }
}
