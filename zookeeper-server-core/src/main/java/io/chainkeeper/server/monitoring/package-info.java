/** Shows a replica in metrics and JMX under the names that ZooKeeper's servers have, and what it knows of the order. */
package io.chainkeeper.server.monitoring;
