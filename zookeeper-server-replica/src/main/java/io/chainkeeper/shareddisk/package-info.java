/**
 * Disks that several servers write to and read from, for protocols that keep the order there. Nobody caches what lies
 * on such a disk: each reading sees what any server has made durable before.
 */
package io.chainkeeper.shareddisk;
