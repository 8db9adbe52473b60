package io.chainkeeper.server;

import java.security.Permission;
import java.security.Policy;
import java.security.ProtectionDomain;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A name service that does not answer the next look-up of {@code localhost} until it is told to. Java asks the security
 * manager before it asks the name service, and in Java 17 nothing else that a test can put in its way.
 */
@SuppressWarnings("removal")
final class HangingNames extends SecurityManager implements AutoCloseable {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final Policy before = Policy.getPolicy();

    HangingNames() {
        Policy.setPolicy(new EverythingAllowed());
        System.setSecurityManager(this);
    }

    private static final class EverythingAllowed extends Policy {
        @Override
        public boolean implies(ProtectionDomain domain, Permission permission) {
            return true;
        }
    }

    @Override
    public void checkPermission(Permission permission) {}

    @Override
    public void checkConnect(String host, int port) {
        if (port != -1 || !host.equals("localhost")) {
            return;
        }
        asked.countDown();
        try {
            answered.await();
        } catch (InterruptedException e) {
            // A look-up cannot be interrupted.
            Thread.currentThread().interrupt();
        }
    }

    /** Those who ask from then on are answered at once. */
    void awaitAsked() throws InterruptedException {
        if (!asked.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("nobody has asked for the name");
        }
        restore();
    }

    private void restore() {
        System.setSecurityManager(null);
        Policy.setPolicy(before);
    }

    void answer() {
        answered.countDown();
    }

    @Override
    public void close() {
        answer();
        restore();
    }
}
