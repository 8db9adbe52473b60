package io.chainkeeper.main;

import io.chainkeeper.config.FileFailure;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the hooks of a pod do, once: {@code join} has the ensemble take this pod's server in, {@code leave} has it
 * remove all its StatefulSet's servers that are not wanted any more. Pods below {@code POD_FOUNDERS} have founded the
 * ensemble: they are members from the beginning and are never removed, nor are members that are no pods of this
 * StatefulSet. Started by {@code container/pod.sh}, which tries again.
 *
 * <p>Both end in a state, whatever was there before: a hook that was killed half way is followed by any other one.
 */
public final class PodMembership {
    private static final String USAGE = "Usage: PodMembership join server.ID=... | leave [--joining]";
    private static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
    private static final int DONE = 0;
    private static final int AGAIN = 1;
    private static final int WRONG = 2;

    private final Map<String, String> variables;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * @param variables {@code POD_NAME}, {@code POD_DOMAIN} (where pods are found by their names),
     *     {@code POD_FOUNDERS}, {@code POD_CLIENTS} (where a client connects),
     *     {@code POD_SUPER_FILE} (holds the super user's password), {@code POD_ACCOUNT} (directory of the service
     *     account), and those by which pods find the API server
     * @param out where a line says what was done
     * @param err where a line says why it was not
     */
    PodMembership(Map<String, String> variables, PrintStream out, PrintStream err) {
        this.variables = variables;
        this.out = out;
        this.err = err;
    }

    /**
     * Runs a hook and ends the process: 0 if nothing is left to be done, 1 if it is to be tried again, 2 if it is
     * called wrongly.
     *
     * @param args {@code join} and this server's line of the configuration, or {@code leave}; {@code --joining} says
     *     that a {@code join} of this server may still be under way
     */
    public static void main(String[] args) {
        System.exit(new PodMembership(System.getenv(), System.out, System.err).run(args));
    }

    int run(String... args) {
        try {
            if (args.length == 2 && args[0].equals("join") && args[1].matches("server\\.\\d+=.+")) {
                join(args[1]);
            } else if (args.length >= 1 && args[0].equals("leave")) {
                leave(args.length == 2);
            } else {
                err.println(USAGE);
                return WRONG;
            }
            return DONE;
        } catch (IOException e) {
            err.println(FileFailure.text(e));
            return AGAIN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return AGAIN;
        }
    }

    private void join(String line) throws IOException, InterruptedException {
        int id = ordinal() + 1;
        try (MemberChange change = connect()) {
            String configured = change.members().get(id);
            if (configured != null) {
                if (!isPod(id, configured)) {
                    throw new IOException("the ensemble has a server " + id + " at " + addressesOf(configured)
                            + ", which is no pod of this StatefulSet; zkCli.sh reconfig -remove " + id
                            + " makes room, if nobody needs it");
                }
                if (addressesOf(configured).equals(addressesOf(line.substring(line.indexOf('=') + 1)))) {
                    return;
                }
            }
            change.change(line, null);
        }
        out.println("Server " + id + " is a member of the ensemble now.");
    }

    /** What stands before the role: host and ports of the links. */
    private static String addressesOf(String server) {
        String[] parts = server.split(";")[0].split(":");
        return parts.length < 3 ? server : parts[0] + ":" + parts[1] + ":" + parts[2];
    }

    private void leave(boolean joining) throws IOException, InterruptedException {
        int ordinal = ordinal();
        if (ordinal < founders()) {
            return;
        }
        String name = variables.get("POD_NAME");
        OptionalInt wanted = new StatefulSetScale(
                        variables,
                        Path.of(variables.getOrDefault("POD_ACCOUNT", ACCOUNT)),
                        name.substring(0, name.lastIndexOf('-')))
                .replicas();
        // The pod is made anew, or everything is stopped: the members stay what they are.
        if (wanted.isEmpty() || wanted.getAsInt() == 0 || wanted.getAsInt() > ordinal) {
            return;
        }
        int last = Math.max(wanted.getAsInt(), founders());
        String leaving;
        try (MemberChange change = connect()) {
            SortedSet<Integer> tooMany = podsBeyond(last, change.members(), joining);
            if (tooMany.isEmpty()) {
                return;
            }
            leaving = tooMany.stream().map(String::valueOf).collect(Collectors.joining(","));
            change.change(null, leaving);
        }
        out.println("Removed from the ensemble, which is to have " + last + " pods: " + leaving);
    }

    /**
     * Returns the ids of the pods' servers that are to be removed. A member that is no pod of this StatefulSet, such as
     * an observer elsewhere, is whose it is, whatever its id.
     *
     * @param last the greatest id that a pod is to have
     * @param members all members, each as what stands behind {@code server.ID=}
     * @param joining whether this pod's server may be on its way to become one
     */
    SortedSet<Integer> podsBeyond(int last, SortedMap<Integer, String> members, boolean joining) {
        SortedSet<Integer> pods = new TreeSet<>();
        members.tailMap(last + 1).forEach((id, server) -> {
            if (isPod(id, server)) {
                pods.add(id);
            }
        });
        if (joining && !members.containsKey(ordinal() + 1)) {
            // Not there yet, but it may be under way: refused while it is.
            pods.add(ordinal() + 1);
        }
        return pods;
    }

    /** Whether a member is the pod that its id is for, by the name of its host. */
    private boolean isPod(int id, String server) {
        String name = variables.get("POD_NAME");
        String pod = name.substring(0, name.lastIndexOf('-') + 1) + (id - 1) + "." + variables.get("POD_DOMAIN");
        return server.startsWith(pod + ":");
    }

    private MemberChange connect() throws IOException, InterruptedException {
        return new MemberChange(
                variables.get("POD_CLIENTS"),
                Files.readString(Path.of(variables.get("POD_SUPER_FILE"))).trim());
    }

    private int ordinal() {
        String name = variables.get("POD_NAME");
        return Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
    }

    private int founders() {
        return Integer.parseInt(variables.get("POD_FOUNDERS"));
    }
}
