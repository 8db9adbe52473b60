package io.chainkeeper.main;

import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.EnsembleConfig.Server;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.admin.ZooKeeperAdmin;

/**
 * {@code zkServer.sh replace}: gives the place of a server that is lost to one at another address, under the same id. A
 * client of the servers that are left: it looks whether that is in order, says so, and asks them for the {@code
 * reconfig} with {@code --yes}.
 */
public final class ReplaceServer {
    private static final String USAGE = "Usage: zkServer.sh replace ID --with HOST:PORT:PORT[:ROLE][;[HOST:]CLIENTPORT]"
            + " [--auth-file FILE] [--connect HOST:PORT[,HOST:PORT...]] [--yes] [ZOO_CFG]";
    private static final String WITH = "--with";
    private static final String AUTH_FILE = "--auth-file";
    private static final String CONNECT = "--connect";
    private static final String CONSENT = "--yes";
    private static final Set<String> OPTIONS = Set.of(WITH, AUTH_FILE, CONNECT);
    private static final Pattern LINE = Pattern.compile("(.+:\\d{1,5}:\\d{1,5})(:participant|:observer)?(?:;(.+))?");
    private static final int SESSION_MILLIS = 30_000;
    private static final long CONNECT_SECONDS = 15;
    private static final int REACH_MILLIS = 2_000;
    private static final int NOT_DONE = Exit.CANNOT_START.code();

    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param out where the explanation goes
     * @param err where the one line of a refusal goes
     */
    ReplaceServer(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Runs the command and ends the process: 0 if the configuration has the new address, 1 if nothing was changed, 2 if
     * the command line is wrong.
     *
     * @param args where a server serves clients, then what the user has written
     */
    public static void main(String[] args) {
        System.exit(new ReplaceServer(System.out, System.err).run(args));
    }

    int run(String... args) {
        List<String> operands = new ArrayList<>();
        Map<String, String> options = new HashMap<>();
        boolean consent = false;
        for (int i = 1; i < args.length; i++) {
            if (args[i].equals(CONSENT)) {
                consent = true;
            } else if (OPTIONS.contains(args[i]) && i + 1 < args.length) {
                options.put(args[i], args[++i]);
            } else {
                operands.add(args[i]);
            }
        }
        boolean isWrong = operands.size() != 1 || !operands.get(0).matches("[0-9]{1,3}") || !options.containsKey(WITH);
        if (args.length == 0 || isWrong) {
            err.println(USAGE);
            return Exit.INVALID_CONFIGURATION.code();
        }
        try {
            int id = Integer.parseInt(operands.get(0));
            return replace(id, options, options.getOrDefault(CONNECT, args[0]), consent);
        } catch (IOException | InvalidPathException e) {
            return CommandFailure.print(e, err, NOT_DONE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("interrupted; look at /zookeeper/config to see whether anything was changed");
            return NOT_DONE;
        }
    }

    private int replace(int id, Map<String, String> options, String address, boolean consent)
            throws IOException, InterruptedException {
        try (ZooKeeperAdmin admin = connect(address)) {
            if (options.containsKey(AUTH_FILE)) {
                authenticate(admin, Path.of(options.get(AUTH_FILE)));
            }
            EnsembleConfig config = configuration(admin);
            Server old = config.servers().get(id);
            if (old == null) {
                throw refused("server." + id + " is not one of the ensemble's: "
                        + config.servers().keySet() + "; to add a server use reconfig");
            }
            SortedMap<Integer, Server> servers = new TreeMap<>(config.servers());
            servers.put(id, newServer(id, old, options.get(WITH)));
            EnsembleConfig next = new EnsembleConfig(config.version(), servers);
            checkAddresses(id, next);
            checkLost(id, old);
            checkQuorum(id, config);
            explain(id, old, next);
            if (!consent) {
                out.println("Nothing has been changed. To do it, add " + CONSENT + ".");
                return NOT_DONE;
            }
            reconfigure(admin, id, next);
        }
        out.println("Done. Start the new server now, unless it runs already.");
        return 0;
    }

    private static UserMistakeException refused(String reason) {
        return new UserMistakeException(Exit.CANNOT_START, reason + "; nothing was changed");
    }

    private static ZooKeeperAdmin connect(String address) throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeperAdmin admin = new ZooKeeperAdmin(address, SESSION_MILLIS, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        if (!connected.await(CONNECT_SECONDS, TimeUnit.SECONDS)) {
            admin.close();
            throw refused("no server answers at " + address + ": run this where a server of the ensemble serves"
                    + " clients, or name one with " + CONNECT
                    + "; if no majority is left, see \"The quorum is lost for good\" in docs/operations.md");
        }
        return admin;
    }

    private static void authenticate(ZooKeeperAdmin admin, Path file) throws IOException {
        String line = Files.exists(file)
                ? Files.readString(file, StandardCharsets.UTF_8).strip()
                : "";
        int space = line.indexOf(' ');
        if (space <= 0 || line.contains("\n")) {
            throw refused(
                    file + " must hold one line: a scheme, a blank and what it takes, as in: digest super:secret");
        }
        admin.addAuthInfo(line.substring(0, space), line.substring(space + 1).getBytes(StandardCharsets.UTF_8));
    }

    private static EnsembleConfig configuration(ZooKeeperAdmin admin) throws IOException, InterruptedException {
        try {
            String text = new String(admin.getConfig(false, null), StandardCharsets.UTF_8);
            return EnsembleConfig.parse(text);
        } catch (KeeperException e) {
            throw refused("/zookeeper/config cannot be read: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            throw refused("/zookeeper/config is not understood: " + e.getMessage());
        }
    }

    /** What is not said stays as it was. */
    private static Server newServer(int id, Server old, String said) throws UserMistakeException {
        Matcher parts = LINE.matcher(said);
        try {
            if (parts.matches()) {
                String role = parts.group(2) != null ? parts.group(2) : old.observer() ? ":observer" : ":participant";
                String client = parts.group(3);
                if (client == null && old.clientHost() != null) {
                    client = "0.0.0.0:" + old.clientPort();
                } else if (client != null && client.matches("\\d{1,5}")) {
                    client = "0.0.0.0:" + client;
                }
                String line = "server." + id + "=" + parts.group(1) + role + (client == null ? "" : ";" + client);
                return EnsembleConfig.parse(line + "\nversion=0").servers().get(id);
            }
        } catch (IllegalArgumentException e) {
            throw new UserMistakeException(Exit.INVALID_CONFIGURATION, WITH + " " + said + ": " + e.getMessage());
        }
        throw new UserMistakeException(
                Exit.INVALID_CONFIGURATION,
                WITH + " " + said + ": give it as behind server." + id
                        + "= in zoo.cfg, HOST:PORT:PORT[:ROLE][;[HOST:]CLIENTPORT]");
    }

    private static void checkAddresses(int id, EnsembleConfig next) throws UserMistakeException {
        Server server = next.servers().get(id);
        for (Map.Entry<Integer, Server> other : next.servers().entrySet()) {
            Server its = other.getValue();
            if (other.getKey() != id && its.host().equals(server.host()) && its.quorumPort() == server.quorumPort()) {
                throw refused("server." + other.getKey() + " has the address " + server.host() + ":"
                        + server.quorumPort() + " already");
            }
        }
    }

    /** A server that lives must be stopped first: two with the same id would take turns. */
    private static void checkLost(int id, Server old) throws UserMistakeException {
        if (isReached(old.host(), old.quorumPort()) || isReached(clientHost(old), old.clientPort())) {
            throw refused("server." + id + " answers at " + old.host() + ": it is not lost; stop it first (zkServer.sh"
                    + " drain), and see that it does not start again");
        }
    }

    private static String clientHost(Server server) {
        String host = server.clientHost();
        return host == null || host.equals("0.0.0.0") || host.equals("::") ? server.host() : host;
    }

    private static boolean isReached(String host, int port) {
        if (port == 0) {
            return false;
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), REACH_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void checkQuorum(int id, EnsembleConfig config) throws UserMistakeException {
        List<Integer> there = new ArrayList<>();
        List<Integer> missing = new ArrayList<>();
        for (int other : config.participants()) {
            if (other != id) {
                Server server = config.servers().get(other);
                (isReached(server.host(), server.quorumPort()) ? there : missing).add(other);
            }
        }
        int quorum = config.participants().size() / 2 + 1;
        if (there.size() < quorum) {
            throw refused("of the participants only " + there + " listen at their addresses, " + missing
                    + " do not, and a quorum has " + quorum + ": start the others first");
        }
        out.println("  Quorum: servers " + there + " are there; " + quorum + " are needed.");
    }

    private void explain(int id, Server old, EnsembleConfig next) {
        out.println("  Moves:  server." + id + " from " + old.text() + " to "
                + next.servers().get(id).text() + ". Nobody answers at the old address.");
        out.println("  Never:  start the old server again with the data that it has.");
        out.println("  Then:   start the new one with empty directories, myid " + id
                + ", and in its zoo.cfg the settings of the others with these lines:");
        next.servers().forEach((other, server) -> out.println("          server." + other + "=" + server.text()));
    }

    private static void reconfigure(ZooKeeperAdmin admin, int id, EnsembleConfig next)
            throws IOException, InterruptedException {
        String joining = "server." + id + "=" + next.servers().get(id).text();
        try {
            admin.reconfigure(joining, null, null, next.version(), null);
        } catch (KeeperException.NoAuthException e) {
            throw refused("the ensemble gives only users with the right to it a reconfig: name a file with one in "
                    + AUTH_FILE);
        } catch (KeeperException.ReconfigDisabledException e) {
            throw refused("this server takes no reconfig: set reconfigEnabled=true in its zoo.cfg and restart it, or"
                    + " name another with " + CONNECT);
        } catch (KeeperException.BadVersionException | KeeperException.ReconfigInProgress e) {
            throw refused("somebody else changes the configuration at the moment: try again");
        } catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException e) {
            throw new IOException("the connection broke before the answer: look at /zookeeper/config to see whether"
                    + " server." + id + " has its new address, and run this again if not");
        } catch (KeeperException e) {
            throw refused("the reconfig was refused: " + e.getMessage());
        }
    }
}
