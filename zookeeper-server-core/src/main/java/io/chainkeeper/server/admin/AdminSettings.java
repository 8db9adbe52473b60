package io.chainkeeper.server.admin;

import io.chainkeeper.config.PortCheck;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import org.apache.zookeeper.common.X509Util;
import org.apache.zookeeper.server.admin.JettyAdminServer;

/**
 * The settings of the AdminServer, looked at before ZooKeeper and Jetty do, who answer a mistake with a stack trace or
 * take another value.
 */
final class AdminSettings {
    private static final String PROPERTY_PREFIX = "zookeeper.";
    private static final String ADDRESS = "admin.serverAddress";
    private static final String PORT = "admin.serverPort";
    private static final String COMMAND_URL = "admin.commandURL";
    private static final String TREE = "admin.tree.enabled";
    private static final String ALL_ADDRESSES = "0.0.0.0";
    private static final int MAX_PORT = 65_535;
    private static final String HTTP_VERSION = "admin.httpVersion";
    private static final int HTTP_1_1 = 11;

    /** ZooKeeper reads it when the class of its commands is loaded, which a mistake leaves unusable. */
    private static final String INTERVAL = "admin.rateLimiterIntervalInMS";

    private final UnaryOperator<String> properties;

    /** @param properties values of Java's system properties, null for those not set */
    AdminSettings(UnaryOperator<String> properties) {
        this.properties = properties;
    }

    /** @return the path below which the commands are */
    String commandUrl() {
        return value(COMMAND_URL, JettyAdminServer.DEFAULT_COMMAND_URL);
    }

    /** @return whether the browser of the tree is served */
    boolean showsTree() {
        return value(TREE, "false").equalsIgnoreCase("true");
    }

    /**
     * Looks at all that can be found out without starting: numbers, key stores, the port.
     *
     * @throws UserMistakeException for the first thing that the AdminServer could not be started with; names the key
     */
    void check() throws UserMistakeException {
        number("admin.idleTimeout", 0);
        if (!value(INTERVAL, "0").matches("-?\\d{1,9}")) {
            throw mistake("%s=%s: write a number of milliseconds up to 999999999", INTERVAL, value(INTERVAL, ""));
        }
        int httpVersion = number(HTTP_VERSION, HTTP_1_1);
        int port = number(PORT, JettyAdminServer.DEFAULT_PORT);
        if (port < 0 || port > MAX_PORT) {
            throw mistake("%s=%d: not a port; give a number from 1 to %d", PORT, port, MAX_PORT);
        }
        if (!Set.of("true", "false").contains(value(TREE, "false").toLowerCase(Locale.ROOT))) {
            throw mistake("%s=%s: write true or false", TREE, value(TREE, ""));
        }
        if (!commandUrl().startsWith("/") || commandUrl().contains("*")) {
            throw mistake(
                    "%s=%s: not a path; give one that begins with a slash and has no *", COMMAND_URL, commandUrl());
        }
        for (String key : new String[] {"admin.forceHttps", "admin.portUnification"}) {
            if (value(key, "false").equalsIgnoreCase("true")) {
                checkStores(key);
                checkHttp(key, httpVersion);
                break;
            }
        }
        InetSocketAddress address = new InetSocketAddress(value(ADDRESS, ALL_ADDRESSES), port);
        PortCheck.check(ADDRESS + " and " + PORT, address);
    }

    /** Without TLS it has no effect. */
    private static void checkHttp(String wantedBy, int version) throws UserMistakeException {
        if (version != HTTP_1_1) {
            throw mistake(
                    "%s=%d: with %s=true the AdminServer speaks HTTP/1.1 only; remove the line, or write %d",
                    HTTP_VERSION, version, wantedBy, HTTP_1_1);
        }
    }

    private void checkStores(String wantedBy) throws UserMistakeException {
        store("keyStore", wantedBy);
        store("trustStore", wantedBy);
    }

    private void store(String name, String wantedBy) throws UserMistakeException {
        String key = "ssl.quorum." + name + ".location";
        String location = value(key, "");
        if (location.isEmpty()) {
            throw mistake("%s=true needs %s, which is not set; name a PKCS12, JKS or PEM file", wantedBy, key);
        }
        if (!Files.isReadable(Path.of(location))) {
            throw mistake(
                    "%s=%s: no file that this server can read; correct the path or its permissions", key, location);
        }
        try {
            load(name, location);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw mistake(
                    "%s=%s cannot be used: %s; check the file, ssl.quorum.%s.password and ssl.quorum.%s.type",
                    key, location, e.getMessage(), name, name);
        }
    }

    private void load(String name, String location) throws IOException, GeneralSecurityException {
        String prefix = "ssl.quorum." + name + ".";
        String type = value(prefix + "type", "");
        String password = password(prefix);
        if (name.equals("trustStore")) {
            X509Util.loadTrustStore(location, password, type);
            return;
        }
        KeyStore keys = X509Util.loadKeyStore(location, password, type);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, password.toCharArray());
    }

    private String password(String prefix) throws IOException {
        String file = value(prefix + "passwordPath", "");
        if (file.isEmpty()) {
            return value(prefix + "password", "");
        }
        try {
            String text = Files.readString(Path.of(file));
            return text.endsWith(System.lineSeparator())
                    ? text.substring(0, text.length() - System.lineSeparator().length())
                    : text;
        } catch (IOException e) {
            throw new IOException(prefix + "passwordPath=" + file + " cannot be read", e);
        }
    }

    private int number(String key, int absent) throws UserMistakeException {
        String text = value(key, Integer.toString(absent));
        try {
            return Integer.decode(text);
        } catch (NumberFormatException e) {
            throw mistake("%s=%s: not a number; correct it or remove the line", key, text);
        }
    }

    private String value(String key, String absent) {
        String value = properties.apply(PROPERTY_PREFIX + key);
        return value == null ? absent : value;
    }

    private static UserMistakeException mistake(String format, Object... arguments) {
        return new UserMistakeException(Exit.INVALID_CONFIGURATION, String.format(format, arguments));
    }
}
