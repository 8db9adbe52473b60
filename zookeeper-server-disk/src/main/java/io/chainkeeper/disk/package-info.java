/**
 * Disk Paxos as a pure state machine: docs/disk.md. Acceptors are disks that all servers share, so any one server goes
 * on alone while a majority of the disks answers it. In no server yet.
 */
package io.chainkeeper.disk;
