package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.chainkeeper.clienttests.harness.Scripts;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Assume;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * What Helm makes of the chart, compared with the manifests in {@code src/test/helm}; {@code -Dhelm.rewrite=true}
 * writes them anew. Helm is built from its Go module, where Go is there.
 */
public class HelmChartTest {
    private static final String HELM = "helm.sh/helm/v3";
    private static final String HELM_VERSION = "v3.22.0";

    /** As Helm's own build sets it; without it Helm takes itself for one of Kubernetes 1.20. */
    private static final String KUBERNETES =
            "-s -w -X %1$s/pkg/chartutil.k8sVersionMajor=1 -X %1$s/pkg/chartutil.k8sVersionMinor=30".formatted(HELM);

    private static final List<String> MODULES =
            List.of("k8s.io/api@v0.37.0", "k8s.io/apimachinery@v0.37.0", "sigs.k8s.io/yaml@v1.6.0");
    private static final long BUILD_LIMIT_SECONDS = 1500;
    private static final long LIMIT_SECONDS = 60;
    private static final String PASSWORD = "(?m)^( +password: ).*$";
    private static final List<String> CASES = List.of("default", "everything", "single");

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static final Path CHART = Scripts.home().resolve("helm/chainkeeper");
    private static final Path MANIFESTS = Scripts.home().resolve("zk-client-tests/src/test/helm");

    private static Path helm;

    @BeforeClass
    public static void buildHelm() throws Exception {
        Assume.assumeTrue("there is no go here, which builds helm", ReleaseArchive.hasCommand("go"));
        Path bin = Scripts.home()
                .resolve("zk-client-tests/target/helm-" + HELM_VERSION)
                .toAbsolutePath();
        helm = bin.resolve("helm");
        if (!Files.exists(helm)) {
            ProcessBuilder builder =
                    command("go", "install", "-ldflags=" + KUBERNETES, HELM + "/cmd/helm@" + HELM_VERSION);
            builder.environment().put("GOBIN", bin.toString());
            Scripts.Result built = Scripts.run(BUILD_LIMIT_SECONDS, builder);
            Assume.assumeTrue("go cannot build helm here: " + built, built.exitCode() == 0);
        }
    }

    private static ProcessBuilder command(String... command) {
        return new ProcessBuilder(command).directory(FOLDER.getRoot());
    }

    private static Scripts.Result helm(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(helm.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = command(command.toArray(String[]::new));
        // no cluster, and nothing of the user's
        builder.environment().keySet().removeIf(name -> name.startsWith("HELM_") || name.startsWith("KUBE"));
        builder.environment().put("HOME", FOLDER.getRoot().toString());
        return Scripts.run(LIMIT_SECONDS, builder);
    }

    private static String manifests(String name) throws Exception {
        return manifests(name, "default");
    }

    private static String manifests(String name, String namespace) throws Exception {
        Scripts.Result result = helm(
                "template",
                "keeper",
                CHART.toString(),
                "--namespace",
                namespace,
                "-f",
                MANIFESTS.resolve(name + ".values.yaml").toString());
        assertEquals(result.toString(), 0, result.exitCode());
        return result.output().replaceAll(PASSWORD, "$1made");
    }

    @Test
    public void chart_hasNoFaultsAndTheVersionOfTheRelease() throws Exception {
        Scripts.Result result = helm("lint", "--strict", CHART.toString());
        assertEquals(result.toString(), 0, result.exitCode());
        String chart = Files.readString(CHART.resolve("Chart.yaml"));
        assertTrue(chart, chart.contains("\nversion: " + ReleaseArchive.version() + "\n"));
        assertTrue(chart, chart.contains("\nappVersion: " + ReleaseArchive.version() + "\n"));
    }

    @Test
    public void manifests_areWhatTheyWere() throws Exception {
        for (String name : CASES) {
            Path expected = MANIFESTS.resolve(name + ".yaml");
            String manifests = manifests(name);
            if (Boolean.getBoolean("helm.rewrite")) {
                Files.writeString(expected, manifests);
            }
            assertEquals(expected.toString(), Files.readString(expected), manifests);
        }
    }

    /** Helm takes every number of a file for one with a fraction. */
    @Test
    public void largeNumber_isWrittenInFull() throws Exception {
        String manifests = manifests("everything");
        assertTrue(manifests, manifests.contains(" snapSizeLimitInKb=8388608"));
    }

    private static String rendered(String... settings) throws Exception {
        List<String> command = new ArrayList<>(List.of("template", "keeper", CHART.toString()));
        for (String setting : settings) {
            command.addAll(List.of("--set", setting));
        }
        Scripts.Result result = helm(command.toArray(String[]::new));
        assertEquals(List.of(settings) + ": " + result, 0, result.exitCode());
        return result.output();
    }

    /** Returns what Kubernetes gives the server's container for a variable. */
    private static String variable(String manifests, String name) throws Exception {
        try (MappingIterator<JsonNode> all =
                new YAMLMapper().readerFor(JsonNode.class).readValues(manifests)) {
            while (all.hasNext()) {
                for (JsonNode each : all.next().at("/spec/template/spec/containers/0/env")) {
                    if (each.path("name").asText().equals(name)) {
                        return expanded(each.path("value").asText());
                    }
                }
            }
        }
        throw new AssertionError("no variable " + name);
    }

    /** As Kubernetes replaces references to variables: two dollars stand for one. */
    private static String expanded(String value) {
        return Pattern.compile("\\$\\$|\\$\\(([^)]*)\\)")
                .matcher(value)
                .replaceAll(found -> found.group(1) == null ? "\\$" : "of " + found.group(1));
    }

    @Test
    public void dollarsAndBackslashes_reachTheServerAsTheyWereGiven() throws Exception {
        Path values = FOLDER.newFile("special.values.yaml").toPath();
        String value = "$$a$(POD_NAME)b\\c$d\\\\(x)\\u0041$$$(ZOO_MY_ID)=:#!";
        Files.writeString(
                values, "config:\n  some.key: '" + value + "'\njvmFlags: '-Done=$$1 -Dtwo=$(POD_NAME) -Dthree=\\n'\n");
        Scripts.Result result = helm("template", "keeper", CHART.toString(), "-f", values.toString());
        assertEquals(result.toString(), 0, result.exitCode());
        String manifests = result.output();
        assertEquals("-Done=$$1 -Dtwo=$(POD_NAME) -Dthree=\\n", variable(manifests, "SERVER_JVMFLAGS"));
        Properties read = new Properties();
        String entries = variable(manifests, "ZOO_CFG_EXTRA").replace(' ', '\n');
        read.load(new ByteArrayInputStream(entries.getBytes(StandardCharsets.UTF_8)));
        assertEquals(value, read.getProperty("some.key"));
        assertEquals("chain", read.getProperty("ordering.protocol"));
        // which a file of properties reads otherwise
        Files.writeString(values, "config:\n  some.key: \"\\u00e4\"\n");
        Scripts.Result refused = helm("template", "keeper", CHART.toString(), "-f", values.toString());
        assertTrue(refused.toString(), refused.errors().contains("at '/config/some.key'"));
    }

    /** The image's own volume for logs would be thrown away with the pod, and with it what the server has promised. */
    @Test
    public void noSizeOfTheLogsVolume_logsAreOnTheVolumeOfTheData() throws Exception {
        for (String none : List.of("storage.logSize=null", "storage.logSize=")) {
            String manifests = rendered(none);
            assertEquals(none, "/data/log", variable(manifests, "ZOO_DATA_LOG_DIR"));
            assertFalse(none, manifests.contains("datalog"));
        }
        String own = rendered("storage.logSize=5Gi");
        assertEquals("/datalog/log", variable(own, "ZOO_DATA_LOG_DIR"));
        assertTrue(own, own.contains("mountPath: /datalog"));
    }

    @Test
    public void oldSnapshots_areDeletedUnlessTheUserSaysOtherwise() throws Exception {
        String key = "autopurge.purgeInterval";
        String config = variable(rendered(), "ZOO_CFG_EXTRA");
        assertTrue(config, List.of(config.split(" ")).contains(key + "=1"));
        String other = variable(rendered("config.autopurge\\.purgeInterval=0"), "ZOO_CFG_EXTRA");
        assertTrue(other, other.endsWith(" " + key + "=0"));
        assertFalse(other, other.contains(key + "=1"));
        // the image refuses two that contradict each other
        String variable = "extraEnv[0].name=ZOO_AUTOPURGE_PURGEINTERVAL,extraEnv[0].value=24";
        String none = variable(rendered(variable), "ZOO_CFG_EXTRA");
        assertFalse(none, none.contains(key));
    }

    /** Without a cluster each rendering has a new one: what Kubernetes holds must not be replaced by it unnoticed. */
    @Test
    public void passwordOfTheSuperUser_isNeverReplaced() throws Exception {
        String template = Files.readString(CHART.resolve("templates/access.yaml"));
        assertTrue(template, template.contains("lookup \"v1\" \"Secret\""));
        assertNotEquals(rendered(), rendered());
        assertTrue(rendered(), rendered().contains("\nimmutable: true\ndata:\n  password: "));
        String own = "superUser.secretName=ours";
        assertEquals(rendered(own), rendered(own));
        assertFalse(rendered(own), rendered(own).contains("kind: Secret"));
    }

    /** The alerts and the dashboard tell ensembles apart by their jobs. */
    @Test
    public void everyEnsemble_isAJobOfItsOwnThatTheAlertLooksFor() throws Exception {
        String alerts = Files.readString(Scripts.home().resolve("monitoring/alerts.yml"));
        Matcher looksFor = Pattern.compile("up\\{job=~\"([^\"]*)\"}").matcher(alerts);
        assertTrue("alerts.yml: up{job=~\"...\"}", looksFor.find());
        String job = job("default");
        String other = job("other");
        for (String each : List.of("chainkeeper", job, other)) {
            assertTrue(each + " and " + looksFor.group(1), each.matches(looksFor.group(1)));
        }
        assertNotEquals(job, other);
    }

    /** As the Prometheus operator names it: after the Service, unless the ServiceMonitor says otherwise. */
    private static String job(String namespace) throws Exception {
        String service = "";
        String relabeled = "";
        var mapper = new YAMLMapper();
        try (MappingIterator<JsonNode> all =
                mapper.readerFor(JsonNode.class).readValues(manifests("everything", namespace))) {
            while (all.hasNext()) {
                JsonNode manifest = all.next();
                String kind = manifest.path("kind").asText();
                String name = manifest.at("/metadata/name").asText();
                if (kind.equals("Service") && name.endsWith("-headless")) {
                    service = name;
                } else if (kind.equals("ServiceMonitor")) {
                    for (JsonNode each : manifest.at("/spec/endpoints/0/relabelings")) {
                        if (each.path("targetLabel").asText().equals("job")) {
                            relabeled = each.path("replacement").asText();
                        }
                    }
                }
            }
        }
        return relabeled.isEmpty() ? service : relabeled;
    }

    @Test
    public void manifests_areKubernetes() throws Exception {
        Path program = FOLDER.newFolder("strict").toPath();
        Files.copy(MANIFESTS.resolve("strict.go"), program.resolve("main.go"), StandardCopyOption.REPLACE_EXISTING);
        List<String> require = new ArrayList<>(List.of("go", "mod", "edit"));
        MODULES.forEach(module -> require.add("-require=" + module));
        for (String[] step :
                List.of(new String[] {"go", "mod", "init", "strict"}, require.toArray(String[]::new), new String[] {
                    "go", "build", "-o", "strict", "."
                })) {
            ProcessBuilder builder = new ProcessBuilder(step).directory(program.toFile());
            builder.environment().put("GOFLAGS", "-mod=mod");
            Scripts.Result result = Scripts.run(BUILD_LIMIT_SECONDS, builder);
            Assume.assumeTrue("go cannot build the check here: " + result, result.exitCode() == 0);
        }
        for (String name : CASES) {
            Path input = program.resolve(name + ".yaml");
            Files.writeString(input, manifests(name));
            Process check = new ProcessBuilder("./strict")
                    .directory(program.toFile())
                    .redirectInput(input.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(check.getInputStream().readAllBytes());
            assertEquals(name + ": " + output, 0, check.waitFor());
        }
    }

    @Test
    public void impossibleValues_areRefusedByName() throws Exception {
        Map<String, String> refused = Map.ofEntries(
                Map.entry("replicaCount=-1", "at '/replicaCount': minimum"),
                Map.entry("replicaCount=100", "at '/replicaCount': maximum"),
                Map.entry("replicaCount=1", "replicaCount=1, but founders=3"),
                Map.entry("founders=0", "at '/founders': minimum"),
                Map.entry("protocol=zab", "at '/protocol': value must be one of"),
                Map.entry("heapPercent=90", "at '/heapPercent': maximum"),
                Map.entry("resources.limits=null", "at '/resources': missing property 'limits'"),
                Map.entry("resources.limits.memory=1x", "at '/resources/limits/memory'"),
                Map.entry("storage.size=0", "at '/storage/size'"),
                Map.entry("storage.size=null", "at '/storage': missing property 'size'"),
                Map.entry("replicas=3", "additional properties 'replicas' not allowed"),
                Map.entry("config.dataDir=/x", "config.dataDir: the chart sets this key"),
                Map.entry("config.snapCount=a b", "at '/config/snapCount'"),
                Map.entry("resources.limits.memory=1.5Gi", "at '/resources/limits/memory'"),
                Map.entry("extraEnv[0].name=ZOO_SERVERS", "extraEnv ZOO_SERVERS: the chart sets this variable"),
                Map.entry("disruptionBudget.maxUnavailable=2", "maxUnavailable=2 of replicaCount=3 leaves no majority"),
                Map.entry("tls.clients.only=true", "tls.clients.secretName is empty"),
                Map.entry("tls.clients.only=true,tls.clients.secretName=s", "networkPolicy.enabled=false"),
                Map.entry("metrics.enabled=false,metrics.serviceMonitor.enabled=true", "metrics.enabled=false"),
                Map.entry("serviceAccount.create=false", "serviceAccount.name is empty"),
                Map.entry("terminationGracePeriodSeconds=10", "at '/terminationGracePeriodSeconds': minimum"));
        for (Map.Entry<String, String> each : refused.entrySet()) {
            Scripts.Result result = helm("template", "keeper", CHART.toString(), "--set", each.getKey());
            assertEquals(each.getKey() + ": " + result, 1, result.exitCode());
            assertTrue(each.getKey() + ": " + result, result.errors().contains(each.getValue()));
            assertEquals("", result.output());
        }
    }

    @Test
    public void whatIsSeldomMeant_isWarnedAbout() throws Exception {
        Scripts.Result even = helm("template", "keeper", CHART.toString(), "--set", "replicaCount=4");
        assertTrue(even.toString(), even.output().contains("replicaCount=4 is even"));
        assertTrue(manifests("single"), manifests("single").contains("its volume is the only copy"));
        assertFalse(manifests("default"), manifests("default").contains("warnings"));
    }
}
