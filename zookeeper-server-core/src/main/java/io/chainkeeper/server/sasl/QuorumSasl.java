package io.chainkeeper.server.sasl;

import io.chainkeeper.config.LinkAuthentication;
import io.chainkeeper.transport.PeerAuthentication;
import java.io.Closeable;
import java.io.IOException;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Supplier;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginException;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.apache.zookeeper.Login;
import org.apache.zookeeper.SaslClientCallbackHandler;
import org.apache.zookeeper.common.X509Util;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.apache.zookeeper.util.SecurityUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SASL for replica links with ZooKeeper's keys {@code quorum.auth.*}, its JAAS sections, its mechanisms (DIGEST-MD5,
 * or GSSAPI where the section logs in to Kerberos) and its rule of who is let in: a user of the section, or a principal
 * of one of the ensemble's hosts. Unlike there, a peer that tries and fails is refused even where nobody has to try.
 * Thread-safe.
 */
public final class QuorumSasl implements PeerAuthentication, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(QuorumSasl.class);

    /** Both are part of what DIGEST-MD5 hashes; the same as ZooKeeper's. */
    private static final String PROTOCOL = "zookeeper-quorum";

    private static final String SERVER_NAME = "zk-quorum-sasl-md5";
    private static final String ENTITY = "QuorumLearner";

    private final LinkAuthentication settings;
    private final ZKConfig config = new ZKConfig();
    private final Login learner;
    private final Login server;

    /**
     * Logs in, in both roles that a server has.
     *
     * @param settings the keys {@code quorum.auth.*}
     * @param hosts of the ensemble, for Kerberos
     * @throws IOException if a section is missing or a login fails; names section and remedy
     */
    public QuorumSasl(LinkAuthentication settings, Set<String> hosts) throws IOException {
        this.settings = settings;
        AppConfigurationEntry[] serverEntries = section(settings.serverSection());
        checkUsers(settings.serverSection(), serverEntries);
        checkPassword(settings.learnerSection(), section(settings.learnerSection()));
        this.server = logIn(settings.serverSection(), () -> new LinkCallbacks(serverEntries, hosts));
        Login loggedIn = null;
        try {
            loggedIn = logIn(settings.learnerSection(), () -> new SaslClientCallbackHandler(null, ENTITY));
            checkFips(loggedIn);
        } catch (IOException e) {
            server.shutdown();
            if (loggedIn != null) {
                loggedIn.shutdown();
            }
            throw e;
        }
        this.learner = loggedIn;
    }

    private static AppConfigurationEntry[] section(String name) throws IOException {
        AppConfigurationEntry[] entries;
        try {
            entries = Configuration.getConfiguration().getAppConfigurationEntry(name);
        } catch (SecurityException e) {
            throw new IOException(
                    "quorum.auth.enableSasl=true, but the JAAS file cannot be read (" + e.getMessage()
                            + "): check -Djava.security.auth.login.config in SERVER_JVMFLAGS",
                    e);
        }
        if (entries == null || entries.length == 0) {
            throw new IOException("quorum.auth.enableSasl=true, but there is no JAAS section " + name
                    + ": add it to the file that -Djava.security.auth.login.config in SERVER_JVMFLAGS names");
        }
        return entries;
    }

    /** Without a user every server that connects would be refused. */
    private static void checkUsers(String section, AppConfigurationEntry[] entries) throws IOException {
        boolean users = false;
        for (AppConfigurationEntry entry : entries) {
            users |= !isDigest(entry)
                    || entry.getOptions().keySet().stream().anyMatch(key -> key.startsWith(LinkCallbacks.USER_PREFIX));
        }
        if (!users) {
            throw new IOException("quorum.auth.enableSasl=true, but JAAS section " + section
                    + " has no user: add user_NAME=\"PASSWORD\" for the servers that connect");
        }
    }

    /** ZooKeeper's login module takes a name without a password for an error of the program. */
    private void checkPassword(String section, AppConfigurationEntry[] entries) throws IOException {
        for (AppConfigurationEntry entry : entries) {
            boolean named = entry.getOptions().containsKey("username");
            boolean complete = named && entry.getOptions().containsKey("password");
            if (isDigest(entry) && !complete && (named || settings.learnerRequired())) {
                throw new IOException("quorum.auth.enableSasl=true, but JAAS section " + section + " has no "
                        + (named ? "password" : "username") + ": add username=\"NAME\" password=\"PASSWORD\", of a user"
                        + " in the section " + settings.serverSection() + " of the other servers");
            }
        }
    }

    private static boolean isDigest(AppConfigurationEntry entry) {
        return entry.getLoginModuleName().equals(DigestLoginModule.class.getName());
    }

    private Login logIn(String section, Supplier<CallbackHandler> callbacks) throws IOException {
        try {
            Login login = new Login(section, callbacks, config);
            login.startThreadIfNeeded();
            return login;
        } catch (LoginException e) {
            throw new IOException(
                    "quorum.auth.enableSasl=true, but the login of JAAS section " + section + " failed ("
                            + e.getMessage() + "): correct the section",
                    e);
        }
    }

    private void checkFips(Login login) throws IOException {
        if (isDigest(login) && settings.learnerRequired() && X509Util.getFipsMode(config)) {
            throw new IOException("quorum.auth.learnerRequireSasl=true with DIGEST-MD5, which FIPS mode forbids: set"
                    + " fips-mode=false, or use Kerberos");
        }
    }

    @Override
    public boolean dials() {
        return settings.learnerRequired();
    }

    @Override
    public boolean demands() {
        return settings.serverRequired();
    }

    @Override
    public Exchange client(String host) throws IOException {
        if (isDigest(learner)) {
            return new ClientExchange(digestClient());
        }
        String principal = SecurityUtils.getServerPrincipal(settings.servicePrincipal(), host);
        SaslClient client = SecurityUtils.createSaslClient(
                config, learner.getSubject(), principal, PROTOCOL, SERVER_NAME, LOG, ENTITY);
        if (client == null) {
            throw new IOException("no SASL mechanism can be used for " + principal);
        }
        return new ClientExchange(client);
    }

    private static boolean isDigest(Login login) {
        return login.getSubject().getPrincipals().isEmpty();
    }

    /** As ZooKeeper makes it, without a line in the log each time. */
    private SaslClient digestClient() throws IOException {
        Iterator<Object> names = learner.getSubject().getPublicCredentials().iterator();
        Iterator<Object> passwords =
                learner.getSubject().getPrivateCredentials().iterator();
        if (!names.hasNext() || !passwords.hasNext()) {
            throw new IOException("JAAS section " + settings.learnerSection() + " has no username and password");
        }
        String name = names.next().toString();
        String password = passwords.next().toString();
        SaslClient client = Sasl.createSaslClient(
                new String[] {"DIGEST-MD5"},
                name,
                PROTOCOL,
                SERVER_NAME,
                null,
                new SaslClientCallbackHandler(password, ENTITY));
        if (client == null) {
            throw new IOException("this Java has no DIGEST-MD5");
        }
        return client;
    }

    @Override
    public Exchange server() throws IOException {
        SaslServer created = SecurityUtils.createSaslServer(
                server.getSubject(), PROTOCOL, SERVER_NAME, server.newCallbackHandler(), LOG);
        if (created == null) {
            throw new IOException("no SASL mechanism can be used; the log says why");
        }
        return new ServerExchange(created);
    }

    /** Kerberos finds its tickets in the subject of the thread. The login's thread replaces them now and then. */
    private static byte[] as(Login login, PrivilegedExceptionAction<byte[]> action) throws IOException {
        try {
            synchronized (login) {
                return Subject.doAs(login.getSubject(), action);
            }
        } catch (PrivilegedActionException e) {
            throw new IOException(
                    e.getCause() == null ? e.toString() : e.getCause().getMessage(), e);
        }
    }

    private final class ClientExchange implements Exchange {
        private final SaslClient client;
        private boolean begun;

        private ClientExchange(SaslClient client) {
            this.client = client;
        }

        @Override
        public byte[] answer(byte[] token) throws IOException {
            if (!begun) {
                begun = true;
                return client.hasInitialResponse() ? as(learner, () -> client.evaluateChallenge(token)) : token;
            }
            return as(learner, () -> client.evaluateChallenge(token));
        }

        @Override
        public boolean isComplete() {
            return client.isComplete();
        }

        @Override
        public void dispose() {
            try {
                client.dispose();
            } catch (SaslException e) {
                LOG.debug("Disposing of a SASL client", e);
            }
        }
    }

    private final class ServerExchange implements Exchange {
        private final SaslServer accepting;

        private ServerExchange(SaslServer accepting) {
            this.accepting = accepting;
        }

        @Override
        public byte[] answer(byte[] token) throws IOException {
            return as(server, () -> accepting.evaluateResponse(token));
        }

        @Override
        public boolean isComplete() {
            return accepting.isComplete();
        }

        @Override
        public void dispose() {
            try {
                accepting.dispose();
            } catch (SaslException e) {
                LOG.debug("Disposing of a SASL server", e);
            }
        }
    }

    /** Ends the threads that renew tickets. */
    @Override
    public void close() {
        learner.shutdown();
        server.shutdown();
    }
}
