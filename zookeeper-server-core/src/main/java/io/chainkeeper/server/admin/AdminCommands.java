package io.chainkeeper.server.admin;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.zookeeper.server.ServerStats;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.Command;
import org.apache.zookeeper.server.admin.CommandOutputter;
import org.apache.zookeeper.server.admin.CommandResponse;
import org.apache.zookeeper.server.admin.Commands;
import org.apache.zookeeper.server.admin.GetCommand;
import org.apache.zookeeper.server.admin.JsonOutputter;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;

/**
 * The AdminServer commands for which ZooKeeper looks at its own leader and follower classes: the same names, keys and
 * types, answered from the order. Besides {@code traces}, and {@code system_properties}, which would tell strangers all
 * passwords. All others are ZooKeeper's own.
 */
final class AdminCommands extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final String NOT_SERVING = "This ZooKeeper instance is not currently serving requests";
    private static final ObjectMapper MAPPER =
            new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE);
    private static final TypeReference<LinkedHashMap<String, Object>> PROPERTIES = new TypeReference<>() {};

    private transient volatile ZooKeeperServer server;
    private final transient Map<String, Command> commands = new TreeMap<>();

    AdminCommands(OrderedZooKeeperServer server, OrderView view, RequestWatch watch) {
        this.server = server;
        for (Command command : List.of(
                new Leader(view),
                new ZabState(view),
                new Srvr(view),
                new Stat(view),
                new Observers(view),
                new PropertiesWithoutSecrets(),
                new TracesCommand(view.replicaId(), watch))) {
            command.getNames().forEach(name -> commands.put(name, command));
        }
    }

    /** @param active the server that is asked from now on */
    void setServer(ZooKeeperServer active) {
        server = active;
    }

    /** @return all names of these commands */
    Set<String> names() {
        return commands.keySet();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response);
    }

    private void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getServletPath();
        Command command = commands.get(path.substring(path.lastIndexOf('/') + 1));
        ZooKeeperServer asked = server;
        CommandResponse result = command.isServerRequired() && !asked.isRunning()
                ? new CommandResponse(command.getPrimaryName(), NOT_SERVING, HttpServletResponse.SC_OK)
                : command.runGet(asked, arguments(request));
        CommandOutputter outputter = new JsonOutputter(request.getRemoteAddr());
        response.setStatus(result.getStatusCode());
        response.setContentType(outputter.getContentType());
        outputter.output(result, response.getWriter());
    }

    private static Map<String, String> arguments(HttpServletRequest request) {
        Map<String, String> arguments = new TreeMap<>();
        request.getParameterMap().forEach((name, values) -> arguments.put(name, values[0]));
        return arguments;
    }

    /** The properties that ZooKeeper's AdminServer shows; the object itself has a space behind {@code leader}. */
    private static Map<String, Object> shown(ServerStats stats, String state) {
        Map<String, Object> properties = MAPPER.convertValue(stats, PROPERTIES);
        properties.put("server_state", state);
        return properties;
    }

    /** Changes what a command of ZooKeeper's answers. */
    private abstract static class Amended extends GetCommand {
        private final Command original;
        final OrderView view;

        Amended(Command original, List<String> names, OrderView view) {
            super(names, original.isServerRequired());
            this.original = original;
            this.view = view;
        }

        @Override
        public CommandResponse runGet(ZooKeeperServer server, Map<String, String> arguments) {
            CommandResponse response = original.runGet(server, arguments);
            if (server instanceof OrderedZooKeeperServer ordered) {
                amend(response, ordered);
            }
            return response;
        }

        abstract void amend(CommandResponse response, OrderedZooKeeperServer server);
    }

    private static final class Leader extends Amended {
        Leader(OrderView view) {
            super(new Commands.LeaderCommand(), List.of("leader", "lead"), view);
        }

        @Override
        void amend(CommandResponse response, OrderedZooKeeperServer server) {
            response.put("is_leader", view.leads());
        }
    }

    private static final class ZabState extends Amended {
        ZabState(OrderView view) {
            super(new Commands.ZabStateCommand(), List.of("zabstate"), view);
        }

        @Override
        void amend(CommandResponse response, OrderedZooKeeperServer server) {
            response.put("is_leader", view.leads());
        }
    }

    private static class Srvr extends Amended {
        Srvr(OrderView view) {
            super(new Commands.SrvrCommand(), List.of("server_stats", "srvr"), view);
        }

        private Srvr(Command original, List<String> names, OrderView view) {
            super(original, names, view);
        }

        @Override
        void amend(CommandResponse response, OrderedZooKeeperServer server) {
            response.put("server_stats", shown(server.serverStats(), server.getState()));
            if (view.leads()) {
                response.put("proposal_stats", server.proposalSizes());
            }
        }
    }

    private static final class Stat extends Srvr {
        Stat(OrderView view) {
            super(new Commands.StatCommand(), List.of("stats", "stat"), view);
        }
    }

    private static final class Observers extends GetCommand {
        private final OrderView view;

        Observers(OrderView view) {
            super(List.of("observers", "obsr"));
            this.view = view;
        }

        /** Shown by the leader, which knows all of them; ZooKeeper's followers show those that they serve, if any. */
        @Override
        public CommandResponse runGet(ZooKeeperServer server, Map<String, String> arguments) {
            CommandResponse response = initializeResponse();
            List<Map<String, Object>> observers = new ArrayList<>();
            if (server instanceof OrderedZooKeeperServer ordered && view.leads()) {
                ordered.self.getView().forEach((id, of) -> {
                    if (of.type == LearnerType.OBSERVER && view.linkedPeers().contains(id.intValue())) {
                        Map<String, Object> observer = new LinkedHashMap<>();
                        observer.put("sid", id);
                        observer.put("remote_socket_address", String.join("|", of.addr.getAllHostStrings()));
                        observers.add(observer);
                    }
                });
            }
            response.put("synced_observers", observers.size());
            response.put("observers", observers);
            return response;
        }
    }

    /** Every setting of zoo.cfg is one of them, passwords of key stores and the super user's digest, too. */
    private static final class PropertiesWithoutSecrets extends GetCommand {
        private static final Pattern SECRET =
                Pattern.compile("(?i).*(passw(or)?d|passphrase|secret|credentials?|token|superDigest)");

        PropertiesWithoutSecrets() {
            super(List.of("system_properties", "sysp"), false);
        }

        @Override
        public CommandResponse runGet(ZooKeeperServer server, Map<String, String> arguments) {
            CommandResponse response = initializeResponse();
            Map<String, String> properties = new TreeMap<>();
            System.getProperties().forEach((name, value) -> properties.put(name.toString(), value.toString()));
            properties.replaceAll((name, value) -> SECRET.matcher(name).matches() ? "(not shown)" : value);
            response.putAll(properties);
            return response;
        }
    }
}
