/**
 * Tests of ensembles as users run them: server processes started by {@code bin/zkServer.sh}, ZooKeeper's and Curator's
 * clients, servers that are killed, paused or out of disk, links between servers that are cut or break. The packages
 * beside {@code harness}, which they all use, do not know each other.
 *
 * <p>{@code mvn verify -pl zk-client-tests -am} runs them with ChainPaxos, but for those that {@code src/test/long.txt}
 * lists; these and only these run with {@code -Plong}. {@code -Densemble.protocol=iss} runs them
 * with ISS, {@code disk} with Disk Paxos, and {@code zab} against the stock quorum server, which shows whether a
 * failure is the test's; all leave out the tests of modules that start no ensembles. {@code
 * -Densemble.home=<directory>} takes the scripts of another installation. Directories of failed ensembles stay under
 * {@code target/ensembles}.
 */
package io.chainkeeper.clienttests;
