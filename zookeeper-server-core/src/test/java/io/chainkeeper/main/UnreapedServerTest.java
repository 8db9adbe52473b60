package io.chainkeeper.main;

import static org.junit.Assert.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** A server whose parent collects nobody, as the first process of many containers, where there is no ps either. */
public class UnreapedServerTest extends DistributionScripts {
    @Test
    public void serverThatIsDeadAndNotReaped_hasStopped() throws Exception {
        Path commands = folder.newFolder("commands").toPath();
        Path ps = commands.resolve("ps");
        Files.writeString(ps, "#!/bin/sh\nexit 127\n");
        assertTrue(ps.toFile().setExecutable(true));
        environment.put("PATH", commands + ":" + System.getenv("PATH"));
        environment.put("ZOO_STOP_TIMEOUT", "10");
        ProcessBuilder builder = new ProcessBuilder(
                "bash",
                "-c",
                "\"$JAVA_HOME/bin/java\" io.chainkeeper.main.ChainkeeperMain \"$1\" & echo $! >\"$2\"; exec sleep 300",
                "parent",
                conf.resolve("zoo.cfg").toString(),
                pidFile.toString());
        builder.environment().putAll(environment);
        Process parent = builder.start();
        try {
            awaitReady();
            assertEnd(run("stop"), 0, "Stopping zookeeper ... STOPPED\n");
            assertTrue(Files.exists(end));
        } finally {
            parent.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
        }
    }
}
