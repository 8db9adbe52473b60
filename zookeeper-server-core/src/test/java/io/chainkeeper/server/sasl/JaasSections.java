package io.chainkeeper.server.sasl;

import java.util.HashMap;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.server.auth.DigestLoginModule;

/** What a JAAS file says whose sections all use DIGEST-MD5. */
public final class JaasSections extends Configuration {
    private final Map<String, Map<String, String>> sections = new HashMap<>();

    /** Adds a section with the options of its login module; returns this. */
    public JaasSections with(String section, Map<String, String> options) {
        sections.put(section, options);
        return this;
    }

    @Override
    public AppConfigurationEntry[] getAppConfigurationEntry(String section) {
        Map<String, String> options = sections.get(section);
        return options == null
                ? null
                : new AppConfigurationEntry[] {
                    new AppConfigurationEntry(
                            DigestLoginModule.class.getName(), LoginModuleControlFlag.REQUIRED, options)
                };
    }
}
