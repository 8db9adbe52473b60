/** TLS of the links between replicas, configured by ZooKeeper's own {@code ssl.quorum.*} keys. */
package io.chainkeeper.server.tls;
