import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Creates tables, puts, scans, moves regions, drops tables. Work SERVERS DONE_FILE DIRECTORY */
public final class Work {
    private static final int ROWS = 300;
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final byte[] COLUMN = Bytes.toBytes("c");

    private int tables;
    private int puts;
    private int scanned;
    private int moved;
    private int dropped;

    public static void main(String[] args) throws Exception {
        new Work().run(Path.of(args[1]), Path.of(args[2], "working"));
        System.exit(0);
    }

    private void run(Path done, Path working) throws Exception {
        Configuration configuration = HBaseConfiguration.create();
        Set<String> left = new TreeSet<>();
        while (!Files.exists(done)) {
            // a new connection each time looks everything up in ZooKeeper again
            try (Connection connection = ConnectionFactory.createConnection(configuration);
                    Admin admin = connection.getAdmin()) {
                String name = "table-" + tables;
                create(admin, name);
                tables++;
                put(connection, name);
                scan(connection, name);
                Files.write(working, new byte[0]);
                admin.balance(true);
                byte[] region = admin.getRegions(TableName.valueOf(name)).get(0).getEncodedNameAsBytes();
                admin.move(region);
                moved++;
                scan(connection, name);
                if (tables % 3 == 0) {
                    admin.disableTable(TableName.valueOf(name));
                    admin.deleteTable(TableName.valueOf(name));
                    dropped++;
                } else {
                    left.add(name);
                }
            }
        }
        try (Connection connection = ConnectionFactory.createConnection(configuration)) {
            for (String name : left) {
                scan(connection, name);
            }
        }
        System.out.printf(
                "2 region servers: %d tables created, %d rows put, %d scanned, %d regions moved, %d tables dropped%n",
                tables, puts, scanned, moved, dropped);
    }

    private static void create(Admin admin, String name) throws Exception {
        try {
            admin.createTable(TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .build());
        } catch (TableExistsException e) {
            // the answer to an earlier try was lost
            System.err.println(name + " is there already");
        }
    }

    private void put(Connection connection, String name) throws Exception {
        try (Table table = connection.getTable(TableName.valueOf(name))) {
            List<Put> rows = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                rows.add(new Put(Bytes.toBytes(String.format("row-%05d", i)))
                        .addColumn(FAMILY, COLUMN, Bytes.toBytes(name + " " + i)));
            }
            table.put(rows);
            puts += ROWS;
        }
    }

    private void scan(Connection connection, String name) throws Exception {
        int count = 0;
        try (Table table = connection.getTable(TableName.valueOf(name));
                ResultScanner scanner = table.getScanner(new Scan())) {
            for (Result row : scanner) {
                String value = Bytes.toString(row.getValue(FAMILY, COLUMN));
                if (!value.equals(name + " " + count)) {
                    throw new IllegalStateException(name + " has " + value + " in row " + count);
                }
                count++;
            }
        }
        if (count != ROWS) {
            throw new IllegalStateException(name + " has " + count + " rows");
        }
        scanned += count;
    }
}
