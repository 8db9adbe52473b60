package io.chainkeeper.main;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;

/**
 * Shows on two real server processes that share three disks that each of them goes on alone, and what the loss of a
 * disk costs. A part of {@link EnsembleDemo}. Used by one thread.
 */
final class SharedDiskDemo {
    private static final int SESSION_TIMEOUT_MILLIS = 10_000;
    private static final int ROUNDS = 20;
    private static final int WRITES_BEFORE_KILL = 500;
    private static final long COMMAND_TIMEOUT_SECONDS = 60;
    private static final String ROOT = "/demo";
    private static final String REGISTER = ROOT + "/register";
    private static final String LOAD = ROOT + "/load";

    private final DemoServers servers;
    private final List<String> addresses;
    private final List<Path> disks;
    private final Path diskScript;
    private final Path directory;
    private final Map<Integer, DemoClient> clients = new TreeMap<>();
    private Map<String, String> acknowledged = Map.of();
    private int lastValue;

    /**
     * @param servers two, not started
     * @param addresses client address of each, host:port
     * @param disks three files, formatted
     * @param diskScript zkDisk.sh
     * @param directory of the servers' directories
     */
    SharedDiskDemo(DemoServers servers, List<String> addresses, List<Path> disks, Path diskScript, Path directory) {
        this.servers = servers;
        this.addresses = addresses;
        this.disks = disks;
        this.diskScript = diskScript;
        this.directory = directory;
    }

    void runSteps(DemoTable table) throws Exception {
        table.printHead();
        table.run("start two server processes", () -> start(1, 2));
        table.run("write at each server, read at the other at once", () -> {
            clients.get(1).create(ROOT, "", CreateMode.PERSISTENT);
            clients.get(1).create(REGISTER, "", CreateMode.PERSISTENT);
            return writeAndReadElsewhere();
        });
        for (int id = 1; id <= 2; id++) {
            int killed = id;
            int other = 3 - id;
            table.run("kill server " + id + " with SIGKILL, go on at server " + other, () -> goOn(killed, other));
            table.run("start server " + id + ", read there what was written meanwhile", () -> returned(killed));
        }
        table.run("write at both servers, kill both with SIGKILL meanwhile", this::writeAndKill);
        table.run("start server 1 alone, look for every answered write", () -> startAlone(1));
        table.run("kill it, start server 2 alone, look for them there", () -> {
            kill(1);
            return startAlone(2);
        });
        table.run("delete the file of disk 2, start both again", () -> withoutDisk(2));
        table.run("put an empty disk in its place: zkDisk.sh replace 2", () -> replace(2));
        table.run("start both again, delete the file of disk 1", () -> {
            start(1, 2);
            return withoutDisk(1);
        });
        table.run("look for every answered write at each server", () -> find(1) + ", " + find(2));
        table.run("stop both", () -> {
            stop();
            return "all processes have ended";
        });
    }

    /** Starts servers, connects a client to each, and says what they are. */
    private String start(int... ids) throws IOException, InterruptedException {
        servers.start(ids);
        for (int id : ids) {
            clients.put(id, DemoClient.connect(addresses.get(id - 1), SESSION_TIMEOUT_MILLIS, false));
        }
        return servers.modes();
    }

    private void kill(int id) throws InterruptedException {
        clients.remove(id).vanish();
        servers.kill(id);
    }

    private void stop() throws IOException, InterruptedException {
        for (DemoClient client : clients.values()) {
            client.close();
        }
        clients.clear();
        servers.stopAll();
    }

    private String writeAndReadElsewhere() throws Exception {
        int reads = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (int writer = 1; writer <= 2; writer++) {
                write(writer);
                read(3 - writer);
                reads++;
            }
        }
        return reads + " reads saw the write before them";
    }

    private void write(int id) throws KeeperException, InterruptedException {
        lastValue++;
        clients.get(id).write(REGISTER, "value " + lastValue);
    }

    private void read(int id) throws Exception {
        String value = clients.get(id).read(REGISTER);
        DemoTable.require(
                value.equals("value " + lastValue), "server %d says '%s', not 'value %d'", id, value, lastValue);
    }

    private String goOn(int killed, int other) throws Exception {
        kill(killed);
        long killedNanos = System.nanoTime();
        write(other);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killedNanos);
        for (int round = 0; round < ROUNDS; round++) {
            write(other);
            read(other);
        }
        return "first answer after " + millis + " ms, then " + ROUNDS + " more";
    }

    private String returned(int id) throws Exception {
        start(id);
        read(id);
        return "read; the servers are " + servers.modes();
    }

    private String writeAndKill() throws Exception {
        clients.get(1).create(LOAD, "", CreateMode.PERSISTENT);
        DemoWriters writers = new DemoWriters(List.copyOf(clients.values()), LOAD);
        writers.awaitAcknowledged(WRITES_BEFORE_KILL);
        servers.killAll();
        acknowledged = writers.awaitEnd();
        clients.values().forEach(DemoClient::vanish);
        clients.clear();
        return acknowledged.size() + " writes answered before the end";
    }

    private String startAlone(int id) throws Exception {
        start(id);
        String found = find(id);
        write(id);
        return found + ", and it takes new ones";
    }

    private String find(int id) throws Exception {
        clients.get(id).findAll(acknowledged, id);
        read(id);
        return acknowledged.size() + " of " + acknowledged.size() + " found";
    }

    /** A file is gone when nobody has it open any more, so the servers start once more. */
    private String withoutDisk(int number) throws Exception {
        stop();
        Files.delete(disks.get(number - 1));
        start(1, 2);
        return "two disks: " + writeAndReadElsewhere();
    }

    private String replace(int number) throws Exception {
        clients.values().forEach(DemoClient::vanish);
        clients.clear();
        Path said = directory.resolve("replace.txt");
        Process command = new ProcessBuilder(
                        diskScript.toString(),
                        "--config",
                        directory.resolve("server-1").toString(),
                        "replace",
                        Integer.toString(number),
                        "--yes")
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        boolean ended = command.waitFor(COMMAND_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        command.destroyForcibly();
        DemoTable.require(
                ended && command.exitValue() == 0,
                "zkDisk.sh replace said: %s",
                Files.readString(said, StandardCharsets.UTF_8).strip());
        servers.awaitEnd();
        return "filled from the two others; the servers stopped";
    }
}
