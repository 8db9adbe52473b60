/**
 * What operators and monitoring ask over HTTP: ZooKeeper's AdminServer with its commands, and beside them the health
 * checks and the status page.
 */
package io.chainkeeper.server.admin;
