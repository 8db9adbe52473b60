package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.apache.zookeeper.server.command.FourLetterCommands;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class ReadOnlyModeSettingTest {
    private static final String WHITE_LIST = "zookeeper.4lw.commands.whitelist";

    private String before;

    @Before
    public void listOneWord() {
        before = System.getProperty(WHITE_LIST);
        System.setProperty(WHITE_LIST, "ruok");
        FourLetterCommands.resetWhiteList();
    }

    @After
    public void restore() {
        System.clearProperty("zookeeper.readonlymode.enabled");
        System.clearProperty("readonlymode.enabled");
        if (before == null) {
            System.clearProperty(WHITE_LIST);
        } else {
            System.setProperty(WHITE_LIST, before);
        }
        FourLetterCommands.resetWhiteList();
    }

    @Test
    public void isEnabledInZooCfg_clientsMayAskIsro() {
        System.setProperty("zookeeper.readonlymode.enabled", "true");
        ReadOnlyMode.ifEnabled(null, null, null, server -> {});
        assertTrue(FourLetterCommands.isEnabled("isro"));
    }

    @Test
    public void isNotEnabled_listOfWordsCounts() {
        ReadOnlyMode.ifEnabled(null, null, null, server -> {});
        assertFalse(FourLetterCommands.isEnabled("isro"));
    }
}
