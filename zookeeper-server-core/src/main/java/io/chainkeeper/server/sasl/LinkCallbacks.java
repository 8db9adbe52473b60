package io.chainkeeper.server.sasl;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.RealmCallback;
import org.apache.zookeeper.server.auth.DigestLoginModule;

/**
 * Who is let in, by ZooKeeper's rules: with DIGEST-MD5 the users of the section ({@code user_NAME="password"}), with
 * Kerberos the principals of the ensemble's hosts. Says nothing in the log: a stranger must not be able to fill it. One
 * for each authentication.
 */
final class LinkCallbacks implements CallbackHandler {
    /** Before the name of a user in the section. */
    static final String USER_PREFIX = "user_";

    private static final int HOST = 1;
    private static final int PRINCIPAL_PARTS = 3;

    private final Map<String, String> passwords = new TreeMap<>();
    private final Set<String> hosts;
    private final boolean digest;
    private String user;

    /**
     * @param entries of the section
     * @param hosts of the ensemble
     */
    LinkCallbacks(AppConfigurationEntry[] entries, Set<String> hosts) {
        this.hosts = hosts;
        boolean onlyDigest = true;
        for (AppConfigurationEntry entry : entries) {
            onlyDigest &= entry.getLoginModuleName().equals(DigestLoginModule.class.getName());
            entry.getOptions().forEach((key, value) -> {
                if (key.startsWith(USER_PREFIX)) {
                    passwords.put(key.substring(USER_PREFIX.length()), value.toString());
                }
            });
        }
        this.digest = onlyDigest;
    }

    @Override
    public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
        for (Callback callback : callbacks) {
            if (callback instanceof NameCallback name) {
                user = name.getDefaultName();
                name.setName(user);
            } else if (callback instanceof PasswordCallback password) {
                String known = user == null ? null : passwords.get(user);
                password.setPassword(known == null ? null : known.toCharArray());
            } else if (callback instanceof RealmCallback realm) {
                realm.setText(realm.getDefaultText());
            } else if (callback instanceof AuthorizeCallback authorize) {
                authorize.setAuthorized(isAuthorized(authorize));
            } else {
                throw new UnsupportedCallbackException(callback);
            }
        }
    }

    private boolean isAuthorized(AuthorizeCallback asked) {
        String principal = asked.getAuthorizationID();
        if (principal == null || !principal.equals(asked.getAuthenticationID())) {
            return false;
        }
        String[] parts = principal.split("[/@]");
        return digest || parts.length == PRINCIPAL_PARTS && hosts.contains(parts[HOST]);
    }
}
