package io.chainkeeper.server.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What all members of the ensemble say about themselves, as one tree of maps. Any thread; waits a moment for them. */
final class EnsembleReport {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Members are asked one moment and another, and measure themselves twice a second. */
    private static final long UNEVEN_MILLIS = 1_500;

    private static final Pattern ID = Pattern.compile("[0-9]{1,3}");

    private final OrderedZooKeeperServer server;
    private final OrderView view;
    private final MemberReport own;
    private final MemberReports others;

    /**
     * @param server its configuration says who the members are
     * @param view what this replica knows about the order
     * @param own what this server says
     * @param others what the others say
     */
    EnsembleReport(OrderedZooKeeperServer server, OrderView view, MemberReport own, MemberReports others) {
        this.server = server;
        this.view = view;
        this.own = own;
        this.others = others;
    }

    Map<String, Object> create() {
        TreeSet<Integer> ids = new TreeSet<>();
        server.self.getView().keySet().forEach(id -> ids.add(id.intValue()));
        ids.remove(view.replicaId());
        List<MemberReports.Heard> heard = new ArrayList<>();
        heard.add(new MemberReports.Heard(view.replicaId(), MAPPER.valueToTree(own.create()), 0, 0, null));
        try {
            heard.addAll(others.look(ids));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this server is being stopped
        }
        heard.sort(Comparator.comparingInt(MemberReports.Heard::id));
        long decided = heard.stream()
                .map(MemberReports.Heard::report)
                .filter(report -> report != null)
                .mapToLong(report -> report.path("decided").asLong())
                .max()
                .orElse(0);
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("server_id", view.replicaId());
        report.put("members", heard.stream().map(of -> member(of, decided)).toList());
        return report;
    }

    /**
     * What the load of a member was lately.
     *
     * @param member replica id as text, null for this server
     * @return null if that is not known at the moment
     */
    JsonNode load(String member) {
        if (member == null || member.equals(Integer.toString(view.replicaId()))) {
            return MAPPER.valueToTree(own.load().create());
        }
        return ID.matcher(member).matches() ? others.load(Integer.parseInt(member)) : null;
    }

    private Map<String, Object> member(MemberReports.Heard heard, long decided) {
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("id", heard.id());
        member.put("age_millis", heard.ageMillis());
        member.put("silent_millis", heard.silentMillis());
        member.put("trouble", heard.trouble());
        JsonNode said = heard.report();
        if (said != null) {
            long executed = said.path("executed").asLong();
            long missedMillis = view.decidedForMillis(executed) - heard.ageMillis();
            boolean misses = missedMillis > UNEVEN_MILLIS;
            long newest = misses ? decided : said.path("decided").asLong();
            member.put("behind", Math.max(0, newest - executed));
            member.put("lag_millis", Math.max(said.path("lag_millis").asLong(), misses ? missedMillis : 0));
        }
        member.put("says", said);
        return member;
    }
}
