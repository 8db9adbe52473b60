/** SASL between servers, with ZooKeeper's keys and JAAS sections. */
package io.chainkeeper.server.sasl;
