/**
 * Servers inside the JVM of a test. {@link io.chainkeeper.test.ChainkeeperCluster} has everything; {@link
 * io.chainkeeper.test.TestingServer} and {@link io.chainkeeper.test.TestingCluster} stand in for Apache Curator's
 * classes of the same names. For JUnit there are {@link io.chainkeeper.test.junit4.ChainkeeperRule} and {@link
 * io.chainkeeper.test.junit5.ChainkeeperExtension}.
 */
package io.chainkeeper.test;
