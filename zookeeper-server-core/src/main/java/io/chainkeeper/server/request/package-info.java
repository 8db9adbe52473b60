/**
 * The way of a client's request from its connection to the order, and of its reply back in the order of the requests.
 */
package io.chainkeeper.server.request;
