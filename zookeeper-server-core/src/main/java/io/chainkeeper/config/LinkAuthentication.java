package io.chainkeeper.config;

/**
 * The keys {@code quorum.auth.*}, when {@code quorum.auth.enableSasl=true}.
 *
 * @param learnerRequired {@code quorum.auth.learnerRequireSasl}: whether this server authenticates itself where it
 *     connects, and connects to nobody else
 * @param serverRequired {@code quorum.auth.serverRequireSasl}: whether it lets in only those who have
 * @param servicePrincipal {@code quorum.auth.kerberos.servicePrincipal}; {@code _HOST} stands for the host connected to
 * @param learnerSection {@code quorum.auth.learner.saslLoginContext}: section of the JAAS file for connecting
 * @param serverSection {@code quorum.auth.server.saslLoginContext}: section of the JAAS file for being connected to
 */
public record LinkAuthentication(
        boolean learnerRequired,
        boolean serverRequired,
        String servicePrincipal,
        String learnerSection,
        String serverSection) {}
