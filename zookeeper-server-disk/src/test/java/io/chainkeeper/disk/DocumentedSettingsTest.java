package io.chainkeeper.disk;

import io.chainkeeper.contract.SettingsDocument;
import org.junit.Test;

/** The table of docs/disk.md says what the code does. */
public class DocumentedSettingsTest {
    private final SettingsDocument document = new SettingsDocument("disk", DiskSettings.KEYS);

    @Test
    public void table_hasEveryKeyWithItsDefaultAndRange() throws Exception {
        document.assertTableIsRight();
    }

    @Test
    public void documents_nameNoOtherKey() throws Exception {
        document.assertDocumentsNameNoOtherKey();
    }
}
