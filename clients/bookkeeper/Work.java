import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.LedgerEntry;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.conf.ClientConfiguration;

/** Creates ledgers, writes, reads, takes over from a writer that has vanished, deletes. Work SERVERS DONE_FILE DIR */
public final class Work {
    private static final int ENTRIES = 200;
    private static final byte[] PASSWORD = "password".getBytes(StandardCharsets.UTF_8);
    private static final long LIMIT_NANOS = 90_000_000_000L;

    private int ledgers;
    private int written;
    private int read;
    private int recovered;
    private int deleted;

    public static void main(String[] args) throws Exception {
        new Work().run(args[0], Path.of(args[1]), Path.of(args[2], "working"));
        System.exit(0);
    }

    /** What is asked of the metadata while a server is being killed may fail: it is tried again. */
    private interface Request<T> {
        T run() throws Exception;
    }

    private static <T> T again(Request<T> request) throws Exception {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            try {
                return request.run();
            } catch (BKException.ZKException
                    | BKException.MetaStoreException
                    | BKException.BKNotEnoughBookiesException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(200);
            }
        }
    }

    private void run(String servers, Path done, Path working) throws Exception {
        ClientConfiguration configuration = new ClientConfiguration();
        configuration.setMetadataServiceUri("zk+hierarchical://" + servers.replace(',', ';') + "/ledgers");
        configuration.setZkTimeout(15_000);
        try (BookKeeper client = new BookKeeper(configuration)) {
            Map<Long, String> left = new TreeMap<>();
            while (!Files.exists(done)) {
                String name = "ledger-" + ledgers + " entry-";
                LedgerHandle ledger = again(() -> client.createLedger(3, 2, 2, BookKeeper.DigestType.CRC32C, PASSWORD));
                ledgers++;
                for (int i = 0; i < ENTRIES; i++) {
                    ledger.addEntry((name + i).getBytes(StandardCharsets.UTF_8));
                    written++;
                }
                if (ledgers % 2 == 0) {
                    again(() -> {
                        ledger.close();
                        return null;
                    });
                } else {
                    // the writer is still there: opening fences it and closes the ledger in its place
                    recovered++;
                }
                check(client, ledger.getId(), name);
                Files.write(working, new byte[0]);
                if (ledgers % 3 == 0) {
                    again(() -> {
                        try {
                            client.deleteLedger(ledger.getId());
                        } catch (BKException.BKNoSuchLedgerExistsException e) {
                            // the answer to an earlier try was lost
                        }
                        return null;
                    });
                    deleted++;
                } else {
                    left.put(ledger.getId(), name);
                }
            }
            for (Map.Entry<Long, String> each : left.entrySet()) {
                check(client, each.getKey(), each.getValue());
            }
        }
        System.out.printf(
                "3 bookies: %d ledgers created, %d entries written, %d read, %d ledgers taken over from their writer, "
                        + "%d deleted%n",
                ledgers, written, read, recovered, deleted);
    }

    private void check(BookKeeper client, long id, String name) throws Exception {
        LedgerHandle ledger = again(() -> client.openLedger(id, BookKeeper.DigestType.CRC32C, PASSWORD));
        List<String> entries = new ArrayList<>();
        Enumeration<LedgerEntry> found = ledger.readEntries(0, ENTRIES - 1);
        while (found.hasMoreElements()) {
            entries.add(new String(found.nextElement().getEntry(), StandardCharsets.UTF_8));
        }
        if (ledger.getLastAddConfirmed() != ENTRIES - 1 || entries.size() != ENTRIES
                || !entries.get(0).equals(name + 0) || !entries.get(ENTRIES - 1).equals(name + (ENTRIES - 1))) {
            throw new IllegalStateException("ledger " + id + " has other entries: " + entries);
        }
        read += ENTRIES;
        ledger.close();
    }
}
