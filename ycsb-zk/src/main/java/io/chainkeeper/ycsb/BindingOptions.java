package io.chainkeeper.ycsb;

import java.util.Properties;
import site.ycsb.DBException;

/**
 * The binding's properties.
 *
 * @param connectString {@code zookeeper.connectString}: servers and an optional chroot; default {@code 127.0.0.1:2181}
 * @param sessionTimeoutMillis {@code zookeeper.sessionTimeout}: default 30 000
 * @param watch {@code zookeeper.watchFlag}: every read leaves a watch; default false
 * @param strongReads {@code zookeeper.strongReads}: every read is preceded by a sync on the same session, for servers
 *     whose plain reads are not linearizable; default false
 * @param readBeforeUpdate {@code zookeeper.readBeforeUpdate}: an update reads the record and keeps the fields that it
 *     does not set, which is YCSB's meaning of update. With false it writes just the given fields: one write, no
 *     read; right for records of one field or with {@code writeallfields=true}. Default true
 * @param outstanding {@code zookeeper.outstanding}: operations that each thread keeps in flight, 1 to 100 000; 1
 *     (default) waits for each reply as YCSB expects. See {@link Pipeline}
 */
record BindingOptions(
        String connectString,
        int sessionTimeoutMillis,
        boolean watch,
        boolean strongReads,
        boolean readBeforeUpdate,
        int outstanding) {

    private static final int MAX_OUTSTANDING = 100_000;

    static BindingOptions read(Properties properties) throws DBException {
        return new BindingOptions(
                text(properties, "zookeeper.connectString", "127.0.0.1:2181"),
                number(properties, "zookeeper.sessionTimeout", 30_000, Integer.MAX_VALUE),
                flag(properties, "zookeeper.watchFlag", false),
                flag(properties, "zookeeper.strongReads", false),
                flag(properties, "zookeeper.readBeforeUpdate", true),
                number(properties, "zookeeper.outstanding", 1, MAX_OUTSTANDING));
    }

    private static String text(Properties properties, String key, String byDefault) {
        String value = properties.getProperty(key, "").trim();
        return value.isEmpty() ? byDefault : value;
    }

    private static boolean flag(Properties properties, String key, boolean byDefault) throws DBException {
        String value = text(properties, key, Boolean.toString(byDefault));
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new DBException(key + "=" + value + ": give true or false");
        }
        return Boolean.parseBoolean(value);
    }

    private static int number(Properties properties, String key, int byDefault, int max) throws DBException {
        String value = text(properties, key, Integer.toString(byDefault));
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below, with the range.
        }
        throw new DBException(key + "=" + value + ": give a whole number from 1 to " + max);
    }
}
