package io.chainkeeper.iss;

import io.chainkeeper.contract.SettingsDocument;
import org.junit.Test;

/** The table of docs/iss.md says what the code does. */
public class DocumentedSettingsTest {
    private final SettingsDocument document = new SettingsDocument("iss", IssSettings.KEYS);

    @Test
    public void table_hasEveryKeyWithItsDefaultAndRange() throws Exception {
        document.assertTableIsRight();
    }

    @Test
    public void documents_nameNoOtherKey() throws Exception {
        document.assertDocumentsNameNoOtherKey();
    }
}
