package io.chainkeeper.clienttests.compat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.AuthPacket;
import org.apache.zookeeper.proto.ReconfigRequest;

/**
 * The configuration that clients read, and changes of it that are refused. The ensembles differ in size, so no reply is
 * compared byte by byte; and ours refuses before it orders, so it takes no zxid: this has to be the last script. What
 * only a quorum that does not come can refuse is left to the tests of reconfig: ours waits for it first.
 */
final class ConfigScript {
    private static final int AUTH_XID = -4;

    private final Step.Script script = Step.Script.named("configurations");

    static Step.Script script() {
        ConfigScript configurations = new ConfigScript();
        configurations.read();
        configurations.refused("x-nobody");
        configurations.refusedForWantOfTheRight("x-nobody");
        configurations.script.step("superuser", bench -> {
            WireClient wire = bench.wire("x-super");
            wire.sendAs(AUTH_XID, OpCode.auth, new AuthPacket(0, "digest", Bench.bytes("super:secret")));
            return wire.answerTo(AUTH_XID);
        });
        configurations.refused("x-super");
        configurations.read2();
        return configurations.script;
    }

    private void read() {
        script.step("form of the configuration", bench -> {
            Stat stat = new Stat();
            byte[] config = bench.client("x").getConfig(false, stat);
            bench.note("version", stat.getVersion());
            return Arrays.stream(new String(config).split("\n"))
                    .map(line -> line.replaceAll("[0-9]+", "N"))
                    .collect(Collectors.toSet());
        });
    }

    private void read2() {
        script.step("configuration after the refusals", bench -> {
            Stat stat = new Stat();
            bench.client("x").getConfig(false, stat);
            return stat.getVersion() == bench.<Integer>noted("version");
        });
    }

    private static String line(int id) {
        return "server." + id + "=127.0.0.1:" + id + ":" + (id + 100) + ";127.0.0.1:" + (id + 200);
    }

    private void refused(String connection) {
        Map<String, ReconfigRequest> requests = new LinkedHashMap<>();
        requests.put("another version", new ReconfigRequest(line(11), null, null, 0x7777));
        requests.put("a line that is none", new ReconfigRequest("nonsense", null, null, -1));
        requests.put("a line without ports", new ReconfigRequest("server.11=127.0.0.1", null, null, -1));
        requests.put("a line without client port", new ReconfigRequest("server.11=127.0.0.1:1:2", null, null, -1));
        requests.put("an id that is none", new ReconfigRequest("server.x=127.0.0.1:1:2;3", null, null, -1));
        requests.put("a leaver that is none", new ReconfigRequest(null, "x", null, -1));
        requests.put("all leave", new ReconfigRequest(null, "1,2,3", null, -1));
        requests.put("members that are none", new ReconfigRequest(null, null, "nonsense", -1));
        ask(connection, requests);
    }

    /** What ZooKeeper would carry out for others, beyond what ours supports too. */
    private void refusedForWantOfTheRight(String connection) {
        Map<String, ReconfigRequest> requests = new LinkedHashMap<>();
        requests.put(
                "an observer with a large id",
                new ReconfigRequest("server.999=0.0.0.0:1234:2345:observer;3456", null, null, -1));
        requests.put("several addresses", new ReconfigRequest(severalAddresses(), null, null, -1));
        requests.put("a new observer", new ReconfigRequest(line(11).replace(";", ":observer;"), null, null, -1));
        ask(connection, requests);
    }

    private static String severalAddresses() {
        return "server.11=127.0.0.1:11:111|127.0.0.1:12:112:observer;127.0.0.1:211";
    }

    private void ask(String connection, Map<String, ReconfigRequest> requests) {
        requests.forEach((name, request) -> script.step(
                name + " by " + connection, bench -> bench.wire(connection).ask(OpCode.reconfig, request)));
    }
}
