/**
 * What lies on a shared disk, as pure functions of bytes: superblock, one header for each server, one ring for each
 * server. The protocol and the tools that format, show and replace disks share them.
 */
package io.chainkeeper.disk.layout;
