package io.chainkeeper.config;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * All that a replica is started from.
 *
 * @param peerConfig ZooKeeper's part of the file, as ZooKeeper's parser sees it
 * @param ordering our part of it
 * @param factory the protocol that {@code ordering.protocol} names
 * @param reloadLinkCertificates {@code sslQuorumReloadCertFiles}
 * @param linkAuthentication SASL between servers, null if there is none
 * @param linkSecret the secret that servers share, null if there is none
 */
public record StartupConfig(
        QuorumPeerConfig peerConfig,
        OrderingConfig ordering,
        OrderingProtocolFactory factory,
        boolean reloadLinkCertificates,
        LinkAuthentication linkAuthentication,
        LinkSecret linkSecret) {}
