package io.chainkeeper.ycsb;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestName;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

public class ZooKeeperBindingTest {
    @ClassRule
    public static final StockServer SERVER = new StockServer();

    @Rule
    public final TestName name = new TestName();

    private final Properties properties = new Properties();

    private ZooKeeperBinding binding(String... settings) throws Exception {
        properties.setProperty("zookeeper.connectString", SERVER.chroot(name.getMethodName()));
        for (int i = 0; i < settings.length; i += 2) {
            properties.setProperty(settings[i], settings[i + 1]);
        }
        Measurements.setProperties(properties);
        ZooKeeperBinding binding = new ZooKeeperBinding();
        binding.setProperties(properties);
        binding.init();
        return binding;
    }

    private static Map<String, ByteIterator> record(String... fields) {
        Map<String, ByteIterator> values = new HashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            values.put(fields[i], new StringByteIterator(fields[i + 1]));
        }
        return values;
    }

    private static Map<String, String> read(ZooKeeperBinding binding, String key, Set<String> fields) {
        Map<String, ByteIterator> result = new HashMap<>();
        assertEquals(Status.OK, binding.read("usertable", key, fields, result));
        Map<String, String> texts = new TreeMap<>();
        result.forEach((field, value) -> texts.put(field, value.toString()));
        return texts;
    }

    private static void recordLives(ZooKeeperBinding binding) throws DBException {
        assertEquals(Status.OK, binding.insert("usertable", "user1", record("field0", "a", "field1", "ü\"\u0001")));
        assertEquals(Map.of("field0", "a", "field1", "ü\"\u0001"), read(binding, "user1", null));
        assertEquals(Map.of("field1", "ü\"\u0001"), read(binding, "user1", Set.of("field1")));
        assertEquals(Status.OK, binding.update("usertable", "user1", record("field0", "b")));
        assertEquals(Map.of("field0", "b", "field1", "ü\"\u0001"), read(binding, "user1", null));
        assertEquals(Status.OK, binding.delete("usertable", "user1"));
        assertEquals(Status.NOT_FOUND, binding.read("usertable", "user1", null, new HashMap<>()));
        binding.cleanup();
    }

    @Test
    public void record_livesFromInsertToDelete() throws Exception {
        recordLives(binding());
    }

    @Test
    public void recordWithStrongReadsAndWatches_livesFromInsertToDelete() throws Exception {
        recordLives(binding("zookeeper.strongReads", "true", "zookeeper.watchFlag", "true"));
    }

    @Test
    public void missingRecord_isNotFound() throws Exception {
        ZooKeeperBinding binding = binding();
        assertEquals(Status.NOT_FOUND, binding.read("usertable", "absent", null, new HashMap<>()));
        assertEquals(Status.NOT_FOUND, binding.update("usertable", "absent", record("field0", "a")));
        assertEquals(Status.NOT_FOUND, binding.delete("usertable", "absent"));
        assertEquals(Status.NOT_IMPLEMENTED, binding.scan("usertable", "absent", 1, null, new Vector<>()));
        binding.cleanup();
    }

    @Test
    public void recordThatExists_countsAsInserted() throws Exception {
        ZooKeeperBinding binding = binding();
        assertEquals(Status.OK, binding.insert("usertable", "user1", record("field0", "a")));
        assertEquals(Status.OK, binding.insert("usertable", "user1", record("field0", "b")));
        assertEquals(Map.of("field0", "a"), read(binding, "user1", null));
        binding.cleanup();
    }

    @Test
    public void recordIsAJsonObject_asTheBindingOfYcsbWritesIt() throws Exception {
        ZooKeeperBinding binding = binding();
        binding.insert("usertable", "user1", record("field0", "a"));
        assertEquals("{\"field0\":\"a\"}", SERVER.data("/" + name.getMethodName() + "/user1"));
        binding.cleanup();
    }

    @Test
    public void updateWithoutRead_replacesTheRecord() throws Exception {
        ZooKeeperBinding binding = binding("zookeeper.readBeforeUpdate", "false");
        binding.insert("usertable", "user1", record("field0", "a", "field1", "b"));
        assertEquals(Status.OK, binding.update("usertable", "user1", record("field0", "c")));
        assertEquals(Map.of("field0", "c"), read(binding, "user1", null));
        binding.cleanup();
    }

    @Test
    public void pipelinedOperations_areFinishedAndMeasuredWhenTheSessionCloses() throws Exception {
        ZooKeeperBinding binding = binding("zookeeper.outstanding", "16", "measurementtype", "hdrhistogram");
        for (int i = 0; i < 100; i++) {
            assertEquals(Status.BATCHED_OK, binding.insert("usertable", "user" + i, record("field0", "a")));
        }
        for (int i = 0; i < 100; i++) {
            assertEquals(Status.BATCHED_OK, binding.read("usertable", "user" + i, null, new HashMap<>()));
        }
        // Not the record deleted below: the write of an update follows its read's reply and may come after the delete.
        for (int i = 1; i < 100; i++) {
            assertEquals(Status.BATCHED_OK, binding.update("usertable", "user" + i, record("field1", "b")));
        }
        assertEquals(Status.BATCHED_OK, binding.read("usertable", "absent", null, new HashMap<>()));
        assertEquals(Status.BATCHED_OK, binding.delete("usertable", "user0"));
        binding.cleanup();
        assertEquals(
                Map.of("field0", "a", "field1", "b"),
                new TreeMap<>(RecordCodec.decode(
                        SERVER.data("/" + name.getMethodName() + "/user98").getBytes(StandardCharsets.UTF_8))));

        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (TextMeasurementsExporter exporter = new TextMeasurementsExporter(out)) {
            Measurements.getMeasurements().exportMeasurements(exporter);
        }
        String report = out.toString(StandardCharsets.UTF_8);
        assertTrue(report, report.contains("[PIPELINED-INSERT], Return=OK, 100"));
        assertTrue(report, report.contains("[PIPELINED-UPDATE], Return=OK, 99"));
        assertTrue(report, report.contains("[PIPELINED-READ], Return=OK, 100"));
        assertTrue(report, report.contains("[PIPELINED-READ], Return=NOT_FOUND, 1"));
        assertTrue(report, report.contains("[PIPELINED-DELETE], Return=OK, 1"));
    }

    @Test
    public void wrongProperty_isNamed() {
        for (String[] wrong : new String[][] {
            {"zookeeper.sessionTimeout", "soon"},
            {"zookeeper.outstanding", "0"},
            {"zookeeper.strongReads", "yes"},
            {"zookeeper.connectString", "127.0.0.1:port"},
        }) {
            Properties settings = new Properties();
            settings.setProperty(wrong[0], wrong[1]);
            ZooKeeperBinding binding = new ZooKeeperBinding();
            binding.setProperties(settings);
            String message = assertThrows(DBException.class, binding::init).getMessage();
            assertTrue(message, message.contains(wrong[0] + "=" + wrong[1]));
        }
    }

    @Test
    public void chrootIsMissing_isNamed() {
        Properties settings = new Properties();
        settings.setProperty("zookeeper.connectString", SERVER.address() + "/absent/deep");
        ZooKeeperBinding binding = new ZooKeeperBinding();
        binding.setProperties(settings);
        String message = assertThrows(DBException.class, binding::init).getMessage();
        assertTrue(message, message.contains("there is no /absent/deep; create it first"));
    }

    @Test
    public void serversThatDoNotAnswer_areNamed() {
        Properties settings = new Properties();
        settings.setProperty("zookeeper.connectString", "127.0.0.1:1");
        settings.setProperty("zookeeper.sessionTimeout", "200");
        ZooKeeperBinding binding = new ZooKeeperBinding();
        binding.setProperties(settings);
        String message = assertThrows(DBException.class, binding::init).getMessage();
        assertTrue(
                message, message.contains("no server of zookeeper.connectString=127.0.0.1:1 answered within 200 ms"));
    }
}
