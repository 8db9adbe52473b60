package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Logs written by released formats stay readable. */
public class SegmentFormatTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void logOfFormatVersion1_isRead() throws IOException {
        Path directory = folder.getRoot().toPath();
        for (int number = 1; number <= 2; number++) {
            String name = SegmentHeader.name(number);
            try (InputStream sample = SegmentFormatTest.class.getResourceAsStream("/log-format-1/" + name)) {
                Files.copy(sample, directory.resolve(name));
            }
        }
        List<LogRecord> expected = new ArrayList<>();
        expected.add(LogRecords.metadata(1, "promised 1.1"));
        expected.add(LogRecords.metadata(100, "incarnation 5"));
        for (int position = 1; position <= 7; position++) {
            expected.add(LogRecords.value(position, "1.1", 300));
        }
        expected.add(LogRecords.value(8, "2.3", 40));
        try (AcceptorLog log = AcceptorLogs.open(directory, LogStore.SEGMENTED, Durability.SYNC, LogRecords.SMALL)) {
            assertEquals(expected, LogRecords.contents(log));
        }
    }
}
